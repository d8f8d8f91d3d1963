#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_nothing_finite(const Evidence& evidence) {
    return evidence.sums.pairs == 0;
}

std::string nothing_finite_text(const Evidence&) {
    return "all elements are nan or inf on both sides";
}

}  // namespace

const Rule k_nothing_finite_rule = {.name = "nothing_finite",
                                    .meaning = "no pair of finite elements is left to judge",
                                    .verdict = Verdict::kUndefined,
                                    .applies = is_nothing_finite,
                                    .text = nothing_finite_text};

}  // namespace npuscope::compare
