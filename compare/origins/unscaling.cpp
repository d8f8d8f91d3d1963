#include "compare/origins/unscaling.h"

#include <cmath>
#include <cstdlib>

namespace npuscope::compare {

namespace {

/// Numbers are told by six digits.
constexpr double kToldTo = 1e-5;

bool divides_by_scale(const Result& result, const OpResult& op) {
    if (!op.is_pair() || op.arguments.size() != 1) return false;
    const bool of_target = result.loss_scale > 1;
    const double scale = of_target ? result.loss_scale : 1 / result.loss_scale;
    const ArgumentDifference& argument = op.arguments.front();
    const double number =
        std::strtod((of_target ? argument.target : argument.golden).c_str(), nullptr);
    return std::abs(number * scale - 1) <= kToldTo;
}

}  // namespace

void forgive_unscaling(Result& result) {
    if (result.loss_scale == 1) return;
    for (OpResult& op : result.ops) {
        if (!divides_by_scale(result, op)) continue;
        for (TensorResult& tensor : op.tensors)
            if (is_finding(tensor.judgement.verdict) && tensor.split &&
                tensor.split->by_golden_arguments && tensor.split->target &&
                tensor.split->target->ratio <= 1)
                tensor.judgement = {Verdict::kInherited,
                                    "divided by the scale of its loss, which the other side does "
                                    "not have"};
        conclude(op, result.allow_golden_at_fault);
    }
}

}  // namespace npuscope::compare
