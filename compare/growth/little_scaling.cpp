#include "compare/growth/little_scaling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "compare/dataflow/counterpart.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/relate/dot_products.h"
#include "compare/relate/kinship.h"
#include "core/base/error.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of the norm, how far what a scaling makes is from what it takes in: more than the roundings of a
/// few steps, in 16 bits and in float32, and little.
constexpr double kScalesBeyondRounding = 5e-4;
constexpr double kBeyondRoundingOfFloat32 = 1e-6;
constexpr double kBeyondRoundingOfNumbers = 1e-5;
constexpr double kLittle = 0.02;
/// So many times farther than what it takes in is from the other side's.
constexpr double kFarther = 3;

/// Whether all that takes in the result is a norm, which levels whatever factor.
bool is_levelled(const Side& side, const TracedTensor& result) {
    const auto index = static_cast<size_t>(&result - side.flow.tensors.data());
    bool any = false;
    for (const TracedTensor& tensor : side.flow.tensors) {
        if (tensor.direction != Direction::kInput || tensor.producer != index) continue;
        const OpStep taker = step_of(side.source.ops[tensor.op].op());
        if (taker == OpStep::kNorm)
            any = true;
        else if (taker != OpStep::kNormGradient && taker != OpStep::kRmsNormGradient)
            return false;
    }
    return any;
}

/// Whether the number by which it scales is recorded, near 1 and not 1: no program writes another's
/// ops so, whatever rounding leaves of it.
bool scales_by_number_near_one(const SourceOp& op) {
    if (!op.facts) return false;
    const std::vector<PlainArgument> arguments = op.facts().arguments;
    const auto other = std::ranges::find(arguments, "other", &PlainArgument::name);
    if (other == arguments.end() || other->is_list || other->numbers.size() != 1) return false;
    const double by = std::abs(other->numbers.front() - 1);
    return by > kBeyondRoundingOfNumbers && by <= kLittle;
}

bool scales_by_little(const PairedFlows& flows, bool of_target, const SourceOp& op) {
    const OpStep step = step_of(op.op());
    if (step != OpStep::kScaling && step != OpStep::kFunction) return false;
    const bool is_by_number = step == OpStep::kScaling && scales_by_number_near_one(op);
    const Side& side = of_target ? flows.target() : flows.golden();
    const TracedTensor* result = only_result(side, op);
    if (result == nullptr) return false;
    const double beyond = holds_16_bits(*result) ? kScalesBeyondRounding : kBeyondRoundingOfFloat32;
    const auto is_scaled = [&](const TracedTensor& input) {
        if (input.direction != Direction::kInput || !input.producer || !input.content ||
            input.content->numel != result->content->numel || is_written_over(side, input))
            return false;
        const auto theirs = counterpart_of(flows, of_target, *input.producer);
        if (!theirs) return false;
        if (is_by_number) return true;
        const double by = relative_distance(traced_numbers(side, *result).as<double>(),
                                            traced_numbers(side, input).as<double>());
        if (by < beyond) return false;
        if (by > kLittle && (step != OpStep::kScaling || !is_levelled(side, *result))) return false;
        const Side& other = of_target ? flows.golden() : flows.target();
        const Tensor made = traced_numbers(side, *input.producer);
        const Tensor theirs_made = traced_numbers(other, *theirs);
        return made.numel() == theirs_made.numel() &&
               by > kFarther * relative_distance(made.as<double>(), theirs_made.as<double>());
    };
    try {
        return std::ranges::any_of(side.of_op(op), is_scaled);
    } catch (const Error&) {
        return false;  // What cannot be read is told where it is compared.
    }
}

}  // namespace

std::unordered_set<const SourceOp*> little_scalings(const PairedFlows& flows,
                                                    const std::vector<Parting>& partings) {
    std::unordered_set<const SourceOp*> found;
    const bool any_of_golden = std::ranges::any_of(
        partings, [](const Parting& parting) { return !parting.only_golden.empty(); });
    const bool any_of_target = std::ranges::any_of(
        partings, [](const Parting& parting) { return !parting.only_target.empty(); });
    if (any_of_golden == any_of_target) return found;
    for (const Parting& parting : partings) {
        const auto& ops = any_of_target ? parting.only_target : parting.only_golden;
        if (ops.size() == 1 && scales_by_little(flows, any_of_target, *ops.front()))
            found.insert(ops.front());
    }
    return found;
}

}  // namespace npuscope::compare
