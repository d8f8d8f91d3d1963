#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_beyond_bound(const Evidence& evidence) {
    return evidence.beyond_bound();
}

std::string beyond_bound_text(const Evidence& evidence) {
    return evidence.bound_text();
}

}  // namespace

const Rule k_beyond_bound_rule = {.name = "beyond_bound",
                                  .meaning = "the difference is larger than the bound allows",
                                  .verdict = Verdict::kFail,
                                  .applies = is_beyond_bound,
                                  .text = beyond_bound_text};

}  // namespace npuscope::compare
