#include "compare/report/terminal/layout.h"

#include <algorithm>

namespace npuscope::compare {

namespace {

constexpr const char* kPlain = "\x1b[0m";

bool begins_code_point(char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

}  // namespace

const char* color_of(Verdict verdict) {
    if (is_finding(verdict)) return kRed;
    return verdict == Verdict::kPass ? kGreen : kYellow;
}

std::string in_color(const ReportOptions& options, const char* color, const std::string& text) {
    return options.color ? color + text + kPlain : text;
}

size_t width_of(const std::string& text) {
    size_t width = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\x1b') {
            i = std::min(text.find('m', i), text.size() - 1);
        } else if (begins_code_point(text[i])) {
            ++width;
        }
    }
    return width;
}

std::string padded(const std::string& text, size_t width) {
    const size_t used = width_of(text);
    return used >= width ? text : text + std::string(width - used, ' ');
}

std::string shortened(const std::string& text, size_t width) {
    if (width_of(text) <= width) return text;
    size_t end = 0;
    for (size_t taken = 0; end < text.size(); ++end)
        if (begins_code_point(text[end]) && ++taken == width) break;
    return text.substr(0, end) + "…";
}

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

}  // namespace npuscope::compare
