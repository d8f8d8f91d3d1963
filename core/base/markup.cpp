#include "core/base/markup.h"

#include "core/base/printable.h"

namespace npuscope {

std::string_view entity(char character) {
    switch (character) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        case '"':
            return "&quot;";
        default:
            return "";
    }
}

std::string html_text(std::string_view text) {
    std::string safe;
    for (const char c : printable(text)) {
        const std::string_view known = entity(c);
        if (known.empty())
            safe += c;
        else
            safe += known;
    }
    return safe;
}

}  // namespace npuscope
