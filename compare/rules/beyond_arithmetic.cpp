#include <cmath>

#include <fmt/format.h>

#include "compare/rules/rule.h"
#include "core/base/two_numbers.h"

namespace npuscope::compare {

namespace {

bool is_beyond_arithmetic(const Evidence& evidence) {
    return evidence.target() != nullptr && evidence.target()->ratio > 1;
}

std::string beyond_arithmetic_text(const Evidence& evidence) {
    const Introduced& error = *evidence.target();
    if (!error.told.empty()) return error.told;
    std::string text = fmt::format("{} beyond what {} makes of these inputs",
                                   evidence.share_text(error.over),
                                   error.arithmetic);
    if (!error.where.empty()) text += ", " + error.where;
    if (!error.worst.empty()) {
        const ErrorElement& worst = error.worst.front();
        const TwoNumbers values(worst.recorded, worst.expected);
        text += fmt::format("; [{}] is {} instead of {}", worst.index, values.first, values.second);
        if (std::isfinite(error.ratio)) text += fmt::format(", {:.3g} times too far", error.ratio);
    }
    return text;
}

}  // namespace

const Rule k_beyond_arithmetic_rule = {
    .name = "beyond_arithmetic",
    .meaning = "what the target's op added is more than honest arithmetic makes of its inputs",
    .verdict = Verdict::kFail,
    .applies = is_beyond_arithmetic,
    .text = beyond_arithmetic_text};

}  // namespace npuscope::compare
