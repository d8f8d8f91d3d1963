#include "compare/programs/op_findings.h"

#include <algorithm>

#include "compare/agreement.h"

namespace npuscope::compare {

bool is_at_fault_itself(const OpResult& op) {
    return op.overflowed || std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
               if (tensor.direction != dumpfile::Direction::kOutput || !tensor.split ||
                   !is_finding(tensor.judgement.verdict))
                   return false;
               const bool is_beyond = tensor.split->target && tensor.split->target->ratio > 1;
               const bool is_golden = tensor.split->golden && tensor.split->golden->ratio > 1;
               return is_beyond || is_golden;
           });
}

bool is_called_otherwise(const OpResult& op) {
    return std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
        return tensor.split && (tensor.split->by_golden_arguments.value_or(0) > 1 ||
                                tensor.split->is_other_constant);
    });
}

bool is_of_programs(const OpResult& op) {
    const auto is_told = [](const TensorResult& tensor) {
        return is_finding(tensor.judgement.verdict);
    };
    return (is_finding(op.judgement.verdict) || std::ranges::any_of(op.tensors, is_told)) &&
           !is_at_fault_itself(op);
}

double distance_of(const Result& result, const Culprit& culprit) {
    double worst = 0;
    for (const TensorResult& tensor : result.ops[culprit.op].tensors) {
        const double norm = norm_of(tensor).value_or(0);
        if (tensor.target == culprit.tensor || tensor.golden == culprit.tensor) return norm;
        if (tensor.direction == dumpfile::Direction::kInput) worst = std::max(worst, norm);
    }
    return worst;
}

}  // namespace npuscope::compare
