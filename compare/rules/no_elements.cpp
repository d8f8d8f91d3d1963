#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_no_elements(const Evidence& evidence) {
    return evidence.sums.numel == 0;
}

std::string no_elements_text(const Evidence&) {
    return "no elements";
}

}  // namespace

const Rule k_no_elements_rule = {.name = "no_elements",
                                 .meaning = "there is nothing to compare",
                                 .verdict = Verdict::kUndefined,
                                 .applies = is_no_elements,
                                 .text = no_elements_text};

}  // namespace npuscope::compare
