#include "compare/report/terminal/layout.h"

namespace npuscope::compare {

namespace {

constexpr const char* kPlain = "\x1b[0m";

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
    return width_of(text) <= width ? text : first_columns(text, width - 1) + "…";
}

}  // namespace npuscope::compare
