#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_within_bound(const Evidence& evidence) {
    return !evidence.beyond_bound();
}

std::string within_bound_text(const Evidence& evidence) {
    return evidence.bound_text();
}

}  // namespace

const Rule k_within_bound_rule = {.name = "within_bound",
                                  .meaning = "the difference is no larger than the bound allows",
                                  .verdict = Verdict::kPass,
                                  .applies = is_within_bound,
                                  .text = within_bound_text};

}  // namespace npuscope::compare
