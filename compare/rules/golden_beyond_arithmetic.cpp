#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_golden_beyond(const Evidence& evidence) {
    return evidence.target() != nullptr && evidence.golden() != nullptr &&
           evidence.golden()->ratio > 1 && evidence.differs();
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
