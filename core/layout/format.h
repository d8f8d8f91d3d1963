// The memory formats of CANN tensors: one table of codes and names.
// Source: enumerations aclFormat (AscendCL) and Format (dump_data.proto of the CANN runtime).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace npuscope::layout {

enum class Format : int32_t {
#define FORMAT(enumerator, code, name, known) k##enumerator = (code),
#include "core/layout/formats.def"
#undef FORMAT
};

struct FormatInfo {
    Format format;
    std::string_view name;
    bool known_to_msaccucmp;  ///< the original tool has a name for this code
};

[[nodiscard]] std::span<const FormatInfo> all_formats();
[[nodiscard]] std::string_view name_of(Format format);
/// True for ND, NCHW and NCDHW: elements lie as the logical shape orders them.
[[nodiscard]] bool keeps_order(Format format);
[[nodiscard]] std::optional<Format> format_from_code(int64_t code);
[[nodiscard]] std::optional<Format> format_from_name(std::string_view name);

}  // namespace npuscope::layout
