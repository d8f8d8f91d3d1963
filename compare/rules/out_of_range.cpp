#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_out_of_range(const Evidence& evidence) {
    // What came in was made elsewhere; where f of the target's own inputs stays in range, the
    // golden's value came from others.
    const Introduced* target = evidence.target();
    // Whole numbers begin again at the other end, and no op says so.
    const bool may_tell = is_float(evidence.dtype) || evidence.dtype == DType::kBool;
    const bool stays =
        may_tell && target != nullptr && target->overflowed == 0 && target->ratio <= 1;
    return evidence.sums.golden_out_of_range > 0 && !stays && !evidence.is_input;
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
    .meaning =
        "a finite golden value of a result leaves the range of the target's dtype, and so does "
        "what the target's op makes of its inputs, as far as it can be computed",
    .verdict = Verdict::kOutOfRange,
    .applies = is_out_of_range,
    .text = out_of_range_text};

}  // namespace npuscope::compare
