#include "compare/origins/first_nonfinite.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

namespace npuscope::compare {

namespace {

bool has_more(const TensorResult& tensor) {
    const Sums& sums = tensor.sums;
    return !tensor.metrics.empty() && sums.nonfinite_differs > 0 &&
           sums.target_nan + sums.target_inf > sums.golden_nan + sums.golden_inf;
}

std::string words(const TensorResult& tensor) {
    return fmt::format(
        "{} of {} elements are NaN or infinite, first at [{}], which the golden's "
        "are not, and nothing that was compared before is",
        tensor.sums.nonfinite_differs,
        tensor.sums.numel,
        tensor.sums.first_nonfinite);
}

}  // namespace

void accuse_first_nonfinite(Result& result) {
    for (OpResult& op : result.ops) {
        const auto first = std::ranges::find_if(op.tensors, has_more);
        if (first == op.tensors.end()) continue;
        if (!op.is_pair() || first->direction != dumpfile::Direction::kOutput ||
            first->judgement.verdict != Verdict::kNotProvable)
            return;
        first->judgement = {Verdict::kFail, words(*first), first->judgement.bound};
        conclude(op, result.allow_golden_at_fault);
        return;
    }
}

}  // namespace npuscope::compare
