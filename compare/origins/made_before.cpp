#include "compare/origins/made_before.h"

#include <algorithm>
#include <limits>

#include "compare/growth/side_distances.h"

namespace npuscope::compare {

namespace {

constexpr double kUnmeasured = std::numeric_limits<double>::infinity();
/// An op may be so many times farther off than what came in, by which it is told where from.
constexpr double kFollows = 4;

/// A sum is nothing but rounding where at least the first share of its norm is wrong, and that is
/// at most the second share of what was added up.
constexpr double kLeastDistance = 0.25;
constexpr double kRoundingShare = 0.01;

bool is_rounding_alone(const TensorResult& output, double distance) {
    const Sums& sums = output.sums;
    // A golden of zeros is as far off as anything; what passed beside it is rounding.
    if (sums.gg == 0) return output.judgement.verdict == Verdict::kPass;
    return distance >= kLeastDistance &&
           sums.max_d <= kRoundingShare * output.judgement.bound.scale;
}

}  // namespace

double MadeBefore::reaching(int64_t numel) const {
    const auto same = rounding_.find(numel);
    return same == rounding_.end() ? any_ : std::max(any_, same->second);
}

int64_t MadeBefore::expanded_from(int64_t numel, double distance) const {
    int64_t most = 0;
    for (const auto& [elements, off] : rounding_)
        if (elements < numel && kFollows * off >= distance) most = std::max(most, elements);
    return most;
}

void MadeBefore::take(size_t pair, const OpResult& op) {
    for (const TensorResult& tensor : op.tensors) {
        if (tensor.direction != dumpfile::Direction::kOutput || !is_floating(tensor)) continue;
        const double distance = tensor.metrics.empty() ? kUnmeasured : distance_of(tensor).norm;
        if (distance <= any_) continue;
        if (!tensor.metrics.empty() && is_rounding(tensor, distance, pair)) {
            double& largest = rounding_[tensor.sums.numel];
            largest = std::max(largest, distance);
            if (const auto place = inflows_.place_of(tensor.target))
                rounding_tensors_.insert(*place);
        } else {
            any_ = distance;
        }
    }
}

/// Whether it cancels, or what of its inputs is as far off does.
bool MadeBefore::is_rounding(const TensorResult& output, double distance, size_t pair) const {
    if (is_rounding_alone(output, distance)) return true;
    bool is_made_of_rounding = false;
    for (const Inflow& inflow : inflows_.of(pair)) {
        if (inflow.compared == nullptr || !is_floating(*inflow.compared)) continue;
        const double came = distance_of(*inflow.compared).norm;
        if (came * kFollows < distance) continue;
        const TracedTensor& traced = flows_.target().tensor(inflow.tensor);
        const auto same = rounding_.find(inflow.compared->sums.numel);
        const bool is_known = traced.producer
                                  ? rounding_tensors_.contains(*traced.producer)
                                  : same != rounding_.end() && came <= kFollows * same->second;
        if (!is_known) return false;
        is_made_of_rounding = true;
    }
    return is_made_of_rounding;
}

}  // namespace npuscope::compare
