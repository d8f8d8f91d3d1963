#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

/// Of the target's error: a golden that is so much nearer to the exact result is at fault in
/// nothing that the comparison shows (a float64 one, summed in an order of its own).
constexpr double kLeastShare = 0x1p-16;

bool is_golden_beyond(const Evidence& evidence) {
    return evidence.target() != nullptr && evidence.golden() != nullptr &&
           evidence.golden()->ratio > 1 && evidence.differs() &&
           !(evidence.golden()->relative < kLeastShare * evidence.target()->relative);
}

std::string golden_beyond_text(const Evidence& evidence) {
    return fmt::format(
        "the golden is off by {:.2g} of f(its inputs), {:.3g} times what {} may be; the target by "
        "{:.2g}",
        evidence.golden()->relative,
        evidence.golden()->ratio,
        evidence.golden()->arithmetic,
        evidence.target()->relative);
}

}  // namespace

const Rule k_golden_beyond_arithmetic_rule = {
    .name = "golden_beyond_arithmetic",
    .meaning = "the sides differ, and only the golden's op added more than honest arithmetic makes",
    .verdict = Verdict::kGoldenAtFault,
    .applies = is_golden_beyond,
    .text = golden_beyond_text};

}  // namespace npuscope::compare
