#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_within_tolerance(const Evidence& evidence) {
    return evidence.bound.given && evidence.sums.max_d > 0 && !evidence.differs();
}

std::string within_tolerance_text(const Evidence& evidence) {
    return "within the tolerance given: " + evidence.bound_text();
}

}  // namespace

const Rule k_within_tolerance_rule = {
    .name = "within_tolerance",
    .meaning = "the sides are no further apart than a tolerance that was given for this tensor",
    .verdict = Verdict::kPass,
    .applies = is_within_tolerance,
    .text = within_tolerance_text};

}  // namespace npuscope::compare
