#include "compare/growth/turned_off.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "compare/growth/allowance.h"
#include "compare/growth/elements_of_pair.h"
#include "compare/growth/module_names.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

/// Of the elements, and of the norm: what rounding turns off or on at most.
constexpr double kMostTurnedOff = 0.05;

/// Of the elements of a gradient that is nothing but gated: the few that turn may be the largest.
constexpr double kMostGated = 0.005;

/// What an op lets through is off by one rounding at most, to bfloat16.
constexpr double kRounding = 1.0 / 256;
/// Gates that leak let through no more (0.01 is usual, 0.23 the most of a random one); all of them
/// the same, up to rounding.
constexpr double kLargestSlope = 0.5;
constexpr double kSameSlope = 0.1;

bool is_let_through(std::span<const double> in, std::span<const double> out) {
    for (size_t i = 0; i < out.size(); ++i)
        if (out[i] != 0 && !(std::abs(out[i] - in[i]) <= kRounding * std::abs(in[i]))) return false;
    return true;
}

/// Whether the op's result of that path is, element by element, zero or what one input has there.
bool is_gate(const SourceOp& op, const std::string& path) {
    const std::vector<SourceTensor> tensors = op.load();
    const auto result = std::ranges::find(tensors, path, &SourceTensor::path);
    if (result == tensors.end() || !result->open) return false;
    const Tensor out = result->open()->whole().cast(DType::kFloat64);
    return std::ranges::any_of(tensors, [&](const SourceTensor& tensor) {
        if (tensor.direction != dumpfile::Direction::kInput || tensor.shape != result->shape ||
            !tensor.open)
            return false;
        const Tensor in = tensor.open()->whole().cast(DType::kFloat64);
        return is_let_through(in.as<double>(), out.as<double>());
    });
}

/// By how much the element that is farthest off is the smaller one on one side: the slope of a gate
/// that leaks. 0 where that tells of none.
double slope_of(std::span<const double> mine, std::span<const double> theirs) {
    double farthest = 0;
    double slope = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
        const double off = std::abs(mine[i] - theirs[i]);
        if (!(off > farthest)) continue;
        farthest = off;
        slope = mine[i] * theirs[i] > 0 ? std::min(mine[i] / theirs[i], theirs[i] / mine[i]) : 0;
    }
    return slope < kLargestSlope ? slope : 0;
}

/// Whether the one is zero where the other is not, or `slope` times it.
bool is_turned(double one, double other, double slope) {
    if (one == 0 || other == 0) return (one == 0) != (other == 0);
    const double ratio = std::min(one / other, other / one);
    return slope > 0 && std::abs(ratio / slope - 1) <= kSameSlope;
}

}  // namespace

TurnedOff turned_off(const OpPair& pair, const TensorResult& result) {
    const auto elements = unscaled_elements_of(pair, result);
    if (!elements) return {};
    const auto mine = elements->target.as<double>();
    const auto theirs = elements->golden.as<double>();
    const double slope = names_gate(pair.target->id.op) && names_gate(pair.golden->id.op)
                             ? slope_of(mine, theirs)
                             : 0;
    double off = 0;
    double size = 0;
    size_t alone = 0;
    size_t both = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
        size += theirs[i] * theirs[i];
        if (mine[i] == 0 && theirs[i] == 0) ++both;
        if (is_turned(mine[i], theirs[i], slope))
            ++alone;
        else
            off += (mine[i] - theirs[i]) * (mine[i] - theirs[i]);
    }
    return {
        .share = static_cast<double>(alone) / static_cast<double>(mine.size()),
        .both = static_cast<double>(both) / static_cast<double>(mine.size()),
        .rest_norm = size > 0 ? std::sqrt(off / size) : 0,
        .is_gate = is_gate(*pair.target, result.target) && is_gate(*pair.golden, result.golden)};
}

bool is_turned_off(const OpPair& pair, const MeasuredRun& run) {
    const bool is_small = run.out.norm <= kMostTurnedOff;
    if (!std::isfinite(run.out.norm) || (!is_small && !run.is_gradient)) return false;
    try {
        const TurnedOff found = turned_off(pair, *run.tensor);
        const bool is_gated = found.is_gate && found.share <= kMostGated;
        return found.share > 0 && found.share <= kMostTurnedOff && (is_small || is_gated) &&
               found.rest_norm <= kNormGrowth * unsuspicious(run).norm;
    } catch (const Error&) {
        return false;
    }
}

}  // namespace npuscope::compare
