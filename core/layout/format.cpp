#include "core/layout/format.h"

#include <array>

namespace npuscope::layout {

namespace {

constexpr auto kTable = std::to_array<FormatInfo>({
#define FORMAT(enumerator, code, name, known) {Format::k##enumerator, name, known},
#include "core/layout/formats.def"
#undef FORMAT
});

}  // namespace

std::span<const FormatInfo> all_formats() {
    return kTable;
}

std::string_view name_of(Format format) {
    for (const FormatInfo& row : kTable)
        if (row.format == format) return row.name;
    __builtin_unreachable();
}

bool keeps_order(Format format) {
    return format == Format::kND || format == Format::kNCHW || format == Format::kNCDHW;
}

std::optional<Format> format_from_code(int64_t code) {
    for (const FormatInfo& row : kTable)
        if (static_cast<int64_t>(row.format) == code) return row.format;
    return std::nullopt;
}

std::optional<Format> format_from_name(std::string_view name) {
    for (const FormatInfo& row : kTable)
        if (row.name == name) return row.format;
    return std::nullopt;
}

}  // namespace npuscope::layout
