#include "compare/settled.h"

#include <algorithm>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

bool is_settled(const TensorResult& tensor) {
    if (tensor.metrics.empty()) return false;
    const Bound& bound = tensor.judgement.bound;
    if (tensor.sums.nonfinite_differs > 0) return false;
    return (bound.floor > 0 && tensor.sums.max_d <= bound.floor) ||
           ((bound.given || tensor.ignored > 0) &&
            !Evidence{.sums = tensor.sums, .bound = bound}.beyond_bound());
}

}  // namespace

void forget_settled(Result& result) {
    std::erase_if(result.culprits, [&](const Culprit& culprit) {
        if (culprit.tensor.empty()) return false;
        const auto& tensors = result.ops[culprit.op].tensors;
        const auto found = std::ranges::find_if(tensors, [&](const TensorResult& tensor) {
            return tensor.target == culprit.tensor || tensor.golden == culprit.tensor;
        });
        return found != tensors.end() && is_settled(*found);
    });
}

}  // namespace npuscope::compare
