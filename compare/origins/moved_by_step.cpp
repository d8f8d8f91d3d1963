#include "compare/origins/moved_by_step.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <span>

#include "compare/dataflow/earlier_steps.h"
#include "compare/dataflow/input_roles.h"
#include "compare/dataflow/traced_numbers.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// A step of both sides is as long, but for rounding.
constexpr double kStepRounding = 1.1;
/// So much of its step an element may be off for each part of its gradient that is; with both at
/// their most, it steps the other way.
constexpr double kRatioGrowth = 4;
constexpr double kOtherWay = 2;

/// What both sides gave the op in the step before.
std::optional<InputPair> given_before(const PairedFlows& flows, const InputPair& parameter) {
    const auto before = given_a_step_before(flows.golden(), parameter.golden);
    if (!before) return std::nullopt;
    const auto pair = std::ranges::find(flows.inputs(), *before, &InputPair::golden);
    if (pair == flows.inputs().end() || flows.target().tensor(pair->target).producer)
        return std::nullopt;
    return *pair;
}

/// A parameter of both sides, before a step and behind it, by element.
struct MovedParameter {
    Tensor target_before;
    Tensor golden_before;
    Tensor target;
    Tensor golden;

    [[nodiscard]] double off(int64_t i) const { return std::abs(target.at(i) - golden.at(i)); }
    /// The farthest that a side's elements moved.
    static double length(const Tensor& before, const Tensor& behind) {
        double length = 0;
        for (int64_t i = 0; i < behind.numel(); ++i)
            length = std::max(length, std::abs(behind.at(i) - before.at(i)));
        return length;
    }
};

bool explains(const MovedParameter& step, double length, const Tensor& mine, const Tensor& theirs) {
    for (int64_t i = 0; i < theirs.numel(); ++i) {
        const double before = std::abs(step.target_before.at(i) - step.golden_before.at(i));
        const double off = std::abs(mine.at(i) - theirs.at(i));
        const double share = off == 0 ? 0 : off / std::abs(theirs.at(i));
        const double most = length * std::min(kOtherWay, kRatioGrowth * share);
        const double rounding = 0x1p-22 * std::abs(step.golden.at(i));
        if (!(step.off(i) <= kStepRounding * (most + before) + rounding)) return false;
    }
    return true;
}

}  // namespace

bool may_be_moved_by_step(const PairedFlows& flows, const InputPair& parameter) try {
    const TracedTensor& now = flows.target().tensor(parameter.target);
    const std::optional<InputPair> before = given_before(flows, parameter);
    if (!before || !takes_parameter(flows.target(), now)) return false;
    const MovedParameter step = {.target_before = traced_numbers(flows.target(), before->target),
                                 .golden_before = traced_numbers(flows.golden(), before->golden),
                                 .target = traced_numbers(flows.target(), parameter.target),
                                 .golden = traced_numbers(flows.golden(), parameter.golden)};
    const double length = MovedParameter::length(step.golden_before, step.golden);
    if (MovedParameter::length(step.target_before, step.target) > kStepRounding * length)
        return false;
    const size_t first = flows.golden().tensor(before->golden).op;
    const size_t last = flows.golden().tensor(parameter.golden).op;
    for (size_t op = last; op-- > first;) {
        for (const TracedTensor& made : flows.golden().flow.of_op(op)) {
            if (made.direction != Direction::kOutput || !made.content ||
                made.content->numel != step.golden.numel())
                continue;
            const auto partner =
                flows.partner_of(static_cast<size_t>(&made - flows.golden().flow.tensors.data()));
            if (partner && explains(step,
                                    length,
                                    traced_numbers(flows.target(), *partner),
                                    traced_numbers(flows.golden(), made)))
                return true;
        }
    }
    return false;
} catch (const Error&) {
    return false;
}

}  // namespace npuscope::compare
