#include "compare/equal_inputs.h"

#include <algorithm>

#include "compare/agreement.h"
#include "compare/rules/rule.h"

namespace npuscope::compare {

bool inputs_agree(const OpResult& op) {
    bool any = false;
    for (const TensorResult& tensor : op.tensors) {
        if (tensor.direction != dumpfile::Direction::kInput) continue;
        any = true;
        if (tensor.judgement.verdict > Verdict::kMistrusted) return false;
    }
    return any && op.arguments.empty();
}

bool are_equal(const TensorResult& tensor) {
    return !tensor.metrics.empty() && tensor.sums.max_d == 0 && tensor.sums.nonfinite_differs == 0;
}

bool inputs_are_equal(const OpResult& op) {
    const auto inputs = [](const TensorResult& tensor) {
        return tensor.direction == dumpfile::Direction::kInput;
    };
    return op.arguments.empty() && std::ranges::any_of(op.tensors, inputs) &&
           std::ranges::all_of(op.tensors, [&](const TensorResult& tensor) {
               return !inputs(tensor) || are_equal(tensor);
           });
}

bool is_far_off(const TensorResult& result) {
    const Evidence evidence{.sums = result.sums, .bound = result.judgement.bound};
    return result.judgement.bound.exact
               ? evidence.beyond_bound()
               : evidence.relative_error() > kChainGrowth * result.judgement.bound.tolerance;
}

void hold_to_like(ComputeType like, const Bounds& bounds, TensorResult& result) {
    if (like == ComputeType::kNone) return;
    const DType dtype = dtype_from_name(result.dtype).value_or(DType::kFloat32);
    const Bound wider = bounds.bound(
        {.target = result.target, .golden = result.golden, .dtype = dtype, .compute_type = like});
    const Bound& now = result.judgement.bound;
    if (wider.exact || now.limit || wider.tolerance <= now.tolerance) return;
    result.judgement = judge({.sums = result.sums, .bound = wider, .dtype = dtype});
}

}  // namespace npuscope::compare
