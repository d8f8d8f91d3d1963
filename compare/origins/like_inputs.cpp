#include "compare/origins/like_inputs.h"

#include <algorithm>
#include <cmath>

#include "core/recording/msprobe/record_name.h"

namespace npuscope::compare {

namespace {

/// Of the largest root mean square: operands of 8 bits leave so much of sums that cancel.
constexpr double kLeftOfSums = 1.0 / 256;
/// Of the golden's norm: what is nearer is no rounding alone.
constexpr double kOtherTerms = 0.1;

/// "Tensor.addcmul_ 1": the op without its number, and the argument.
std::string key_of(const OpResult& op, const TensorResult& input) {
    const auto record = msprobe::parse_record_name(op.target);
    return (record ? std::string(record->base) : op.id.op) + " " + input.argument;
}

double root_mean_square(double squares, const TensorResult& tensor) {
    return std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, tensor.sums.pairs)));
}

}  // namespace

LikeInputs::LikeInputs(const Result& result) {
    for (const OpResult& op : result.ops) {
        if (!op.is_pair()) continue;
        for (const TensorResult& tensor : op.tensors) {
            if (tensor.direction != dumpfile::Direction::kInput || tensor.metrics.empty()) continue;
            double& largest = largest_[key_of(op, tensor)];
            largest = std::max(largest, root_mean_square(tensor.sums.gg, tensor));
        }
    }
}

bool LikeInputs::is_rounding_alone(const OpResult& op, const TensorResult& input) const {
    const auto found = largest_.find(key_of(op, input));
    if (found == largest_.end() || input.sums.nonfinite_differs > 0) return false;
    return input.sums.dd >= kOtherTerms * kOtherTerms * input.sums.gg &&
           root_mean_square(std::max(input.sums.tt, input.sums.gg), input) <=
               kLeftOfSums * found->second;
}

}  // namespace npuscope::compare
