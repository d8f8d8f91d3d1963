#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_constant(const Evidence& evidence) {
    const Sums& sums = evidence.sums;
    return sums.pairs > 1 && sums.min_t == sums.max_t && sums.min_g == sums.max_g;
}

std::string constant_text(const Evidence& evidence) {
    return fmt::format(
        "all elements are {:g} on both sides; {}", evidence.sums.min_t, evidence.bound_text());
}

}  // namespace

const Rule k_constant_rule = {
    .name = "constant",
    .meaning = "within the bound, but constant on both sides from two elements on: proves little",
    .verdict = Verdict::kMistrusted,
    .applies = is_constant,
    .text = constant_text};

}  // namespace npuscope::compare
