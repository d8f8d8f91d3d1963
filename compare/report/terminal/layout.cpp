#include "compare/report/terminal/layout.h"

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

}  // namespace npuscope::compare
