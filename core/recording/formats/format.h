// What every format of a recording is: how it is told from others, and how it is opened.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "core/recording/source.h"

namespace npuscope {

/// One row of formats.def.
struct Format {
    std::string_view name;
    std::string_view what;      ///< a file or folder of it, for messages
    bool holds_arrays = false;  ///< named arrays of a program, and not what its ops took and made
    /// By name, or by its first bytes where the name does not tell. Errors: none.
    bool (*is_it)(const std::filesystem::path& path);
    /// Errors: Error(kIo|kFormat|kUnsupported), one clear line.
    Source (*open)(const std::filesystem::path& path, Arrays form);
};

#define FORMAT(name) extern const Format k_##name##_format;
#include "core/recording/formats/formats.def"
#undef FORMAT

[[nodiscard]] std::span<const Format* const> all_formats();
/// What each takes, in their order: "a .h5 dump; the dump.json or debug.json of msprobe; …".
[[nodiscard]] std::string all_recordings_text();
/// The first that takes it; nullptr when none does.
[[nodiscard]] const Format* format_of(const std::filesystem::path& path);

/// "a.h5", no folder, has one of the extensions ".h5", ".hdf5".
[[nodiscard]] bool has_extension(const std::filesystem::path& path,
                                 std::initializer_list<std::string_view> extensions);
/// At most `count` bytes from the start of a regular file; "" of anything else.
[[nodiscard]] std::string first_bytes(const std::filesystem::path& path, size_t count);

}  // namespace npuscope
