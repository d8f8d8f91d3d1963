#include "compare/ci/xml_text.h"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "core/base/markup.h"

namespace npuscope::compare {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Bytes of the UTF-8 character at `at`; 0 where there is none that XML 1.0 holds.
size_t character_length(const std::string& text, size_t at) {
    const auto byte = [&](size_t i) {
        return i < text.size() ? static_cast<uint32_t>(static_cast<unsigned char>(text[i])) : 0U;
    };
    const uint32_t first = byte(at);
    if (first < 0x80) return first >= 0x20 || first == 9 || first == 10 || first == 13 ? 1 : 0;
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
    if (length == 0 || first > 0xF4) return 0;
    uint32_t code = first & (0x7FU >> length);
    for (size_t i = 1; i < length; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80) return 0;
        code = (code << 6) | (byte(at + i) & 0x3F);
    }
    const bool is_short = code < (length == 2 ? 0x80U : length == 3 ? 0x800U : 0x10000U);
    const bool is_none = (code >= 0xD800 && code <= 0xDFFF) || code == 0xFFFE || code == 0xFFFF;
    return is_short || is_none || code > 0x10FFFF ? 0 : length;
}

}  // namespace

std::string xml_text(const std::string& text) {
    std::string safe;
    for (size_t i = 0; i < text.size();) {
        const size_t length = character_length(text, i);
        if (length == 0) {
            safe += kReplacement;
            ++i;
            continue;
        }
        const std::string_view known = entity(text[i]);
        if (!known.empty())
            safe += known;
        else if (text[i] == '\n' || text[i] == '\r' || text[i] == '\t')
            safe += fmt::format("&#{};", static_cast<int>(text[i]));
        else
            safe.append(text, i, length);
        i += length;
    }
    return safe;
}

}  // namespace npuscope::compare
