#include "core/base/wrapped.h"

#include <algorithm>

namespace npuscope {

std::string wrapped(const std::string& text, size_t indent, size_t continued) {
    std::string lines;
    std::string line;
    for (size_t at = 0; at < text.size();) {
        const size_t space = std::min(text.find(' ', at), text.size());
        const std::string word = text.substr(at, space - at);
        if (!line.empty() && width_of(line) + 1 + width_of(word) > kTerminalColumns) {
            lines += line + "\n";
            line.clear();
        }
        line +=
            line.empty() ? std::string(lines.empty() ? indent : continued, ' ') + word : " " + word;
        at = space + 1;
    }
    return lines + line + "\n";
}

}  // namespace npuscope
