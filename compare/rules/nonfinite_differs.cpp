#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_nonfinite_differs(const Evidence& evidence) {
    return evidence.sums.nonfinite_differs > 0;
}

std::string nonfinite_differs_text(const Evidence& evidence) {
    return fmt::format("nan or inf differ at {}, first at [{}]",
                       evidence.share_text(evidence.sums.nonfinite_differs),
                       evidence.sums.first_nonfinite);
}

}  // namespace

const Rule k_nonfinite_differs_rule = {
    .name = "nonfinite_differs",
    .meaning = "NaN on one side only, or an infinity of another sign",
    .verdict = Verdict::kFail,
    .applies = is_nonfinite_differs,
    .text = nonfinite_differs_text};

}  // namespace npuscope::compare
