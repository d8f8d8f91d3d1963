#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_out_of_range(const Evidence& evidence) {
    return evidence.sums.golden_out_of_range > 0;
}

std::string out_of_range_text(const Evidence& evidence) {
    return fmt::format("g leaves the range of {} at {}, first at [{}]",
                       name_of(evidence.dtype),
                       evidence.share_text(evidence.sums.golden_out_of_range),
                       evidence.sums.first_out_of_range);
}

}  // namespace

const Rule k_out_of_range_rule = {
    .name = "out_of_range",
    .meaning = "a finite golden value leaves the range of the target's dtype",
    .verdict = Verdict::kOutOfRange,
    .applies = is_out_of_range,
    .text = out_of_range_text};

}  // namespace npuscope::compare
