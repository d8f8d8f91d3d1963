// Forms of training logs, and how each is read.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "loss/log.h"
#include "loss/log_builder.h"
#include "loss/log_bytes.h"

namespace npuscope::loss {

/// One row of formats.def.
struct Format {
    std::string_view name;
    std::string_view what;     ///< who writes it
    std::string_view told_by;  ///< by what it is known
    /// Reads the log; false: it is of another form, and nothing was touched.
    bool (*read)(const LogBytes& bytes, LogBuilder& records, Log& log);
};

#define FORMAT(name) extern const Format k_##name##_format;
#include "loss/formats/formats.def"
#undef FORMAT

[[nodiscard]] std::span<const Format* const> all_formats();

/// The log in a file, by the first format that knows it.
/// Errors  LogBytes'; Error(kFormat) where no loss is found, with the pattern that a line needs.
[[nodiscard]] Log read_log(const std::filesystem::path& path);

}  // namespace npuscope::loss
