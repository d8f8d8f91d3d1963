#include "page/html_text.h"

#include "core/base/printable.h"

namespace npuscope::page {

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : printable(text)) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                safe += c;
        }
    }
    return safe;
}

}  // namespace npuscope::page
