#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_all_zero(const Evidence& evidence) {
    return evidence.sums.max_abs_t == 0 && evidence.sums.max_abs_g == 0;
}

std::string all_zero_text(const Evidence&) {
    return "all elements are zero on both sides";
}

}  // namespace

const Rule k_all_zero_rule = {.name = "all_zero",
                              .meaning = "equal, but all zero: proves little",
                              .verdict = Verdict::kMistrusted,
                              .applies = is_all_zero,
                              .text = all_zero_text};

}  // namespace npuscope::compare
