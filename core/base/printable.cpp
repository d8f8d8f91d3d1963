#include "core/base/printable.h"

#include <cstdint>

namespace npuscope {

namespace {

/// In bytes; longer texts are cut, so that no line grows with what a file says.
constexpr size_t kLongestQuote = 1000;

/// A code point and the bytes that it takes; none where they are no UTF-8.
struct Decoded {
    uint32_t point = 0;
    size_t bytes = 0;
};

Decoded decoded(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80) return {first, 1};
    const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
    uint32_t point = first & (0x7fU >> bytes);
    for (size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) return {};
        point = point << 6U | (byte(i) & 0x3fU);
    }
    constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = point >= 0xd800 && point <= 0xdfff;
    if (point < kLeast[bytes] || point > 0x10ffff || is_surrogate) return {};
    return {point, bytes};
}

/// What moves a terminal's cursor, ends a line, or turns the direction of what follows.
bool is_control(uint32_t point) {
    return point < 0x20 || (point >= 0x7f && point <= 0x9f) || point == 0x61c ||
           (point >= 0x200e && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
           (point >= 0x2066 && point <= 0x2069) || point == 0xfeff;
}

}  // namespace

std::string printable(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    std::string safe;
    safe.reserve(text.size());
    while (!text.empty()) {
        const Decoded next = decoded(text);
        const size_t bytes = next.bytes == 0 ? 1 : next.bytes;
        if (next.bytes == 0 || is_control(next.point)) {
            for (const char c : text.substr(0, bytes)) {
                const auto byte = static_cast<unsigned char>(c);
                safe += "\\x";
                safe += kHex[byte >> 4U];
                safe += kHex[byte & 15U];
            }
        } else {
            safe += text.substr(0, bytes);
        }
        text.remove_prefix(bytes);
    }
    return safe;
}

std::string in_quotes(std::string_view text) {
    if (text.size() <= kLongestQuote) return "'" + printable(text) + "'";
    size_t cut = kLongestQuote;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0U) == 0x80U)
        --cut;
    return "'" + printable(text.substr(0, cut)) + "…' (" + std::to_string(text.size()) + " bytes)";
}

}  // namespace npuscope
