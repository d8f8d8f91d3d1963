#include "compare/programs/forgive.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/origins/inflow.h"
#include "compare/programs/mark_span.h"
#include "compare/programs/one_sided_ops.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

bool is_compared(const OpResult& op) {
    return op.is_pair() && std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
               return tensor.direction == Direction::kOutput &&
                      (!tensor.metrics.empty() || tensor.by_statistics);
           });
}

/// How far off any tensor of the pair is: its statistics, or of its norm.
double distance_in(const OpResult& op) {
    double worst = 0;
    for (const TensorResult& tensor : op.tensors)
        worst =
            std::max(worst, tensor.by_statistics ? tensor.deviation : norm_of(tensor).value_or(0));
    return worst;
}

bool has_findings(const Plan& plan, const Result& result) {
    if (!result.culprits.empty()) return true;
    for (size_t place = 0; place < plan.ops.size(); ++place)
        if (plan.ops[place].target != nullptr && plan.ops[place].golden != nullptr &&
            is_finding(result.ops[place].judgement.verdict))
            return true;
    return false;
}

bool is_of_statistics(const Result& result) {
    return std::ranges::any_of(result.ops, [](const OpResult& op) {
        return std::ranges::any_of(op.tensors, &TensorResult::by_statistics);
    });
}

/// How far off the compared pairs are, in the order of one side's ops.
class Distances {
  public:
    using Partner = const SourceOp* OpPair::*;

    Distances(const Plan& plan, const Result& result, Partner side) {
        for (size_t place = 0; place < plan.ops.size(); ++place)
            if (is_compared(result.ops[place]))
                of_.push_back({plan.ops[place].*side, distance_in(result.ops[place])});
        std::ranges::stable_sort(of_, std::less{}, &Each::op);
        worst_until_.reserve(of_.size());
        for (const Each& each : of_)
            worst_until_.push_back(
                std::max(worst_until_.empty() ? 0 : worst_until_.back(), each.distance));
    }

    /// Whether the next pairs behind an op are hardly farther off than those before it.
    [[nodiscard]] bool agree_behind(const SourceOp& op) const {
        constexpr size_t kNext = 3;
        constexpr double kNoise = 0x1p-7;
        constexpr double kGrowth = 4;
        const auto behind = std::ranges::upper_bound(of_, &op, std::less{}, &Each::op);
        const auto count = static_cast<size_t>(behind - of_.begin());
        if (of_.size() - count < kNext) return false;
        const double before = count == 0 ? 0 : worst_until_[count - 1];
        return std::ranges::all_of(std::span(of_).subspan(count, kNext), [&](const Each& each) {
            return each.distance <= std::max(kNoise, kGrowth * before);
        });
    }

  private:
    struct Each {
        const SourceOp* op;
        double distance;
    };
    std::vector<Each> of_{};
    std::vector<double> worst_until_{};  ///< of the pairs up to and with each
};

/// Each side's, computed when first asked for.
class BothDistances {
  public:
    BothDistances(const Plan& plan, const Result& result) : plan_(plan), result_(result) {}

    [[nodiscard]] bool agree_behind(const SourceOp& op, bool of_target) {
        std::optional<Distances>& side = of_target ? target_ : golden_;
        if (!side) side.emplace(plan_, result_, of_target ? &OpPair::target : &OpPair::golden);
        return side->agree_behind(op);
    }

  private:
    const Plan& plan_;
    const Result& result_;
    std::optional<Distances> target_{};
    std::optional<Distances> golden_{};
};

void forgive_partings(BothDistances& distances, Plan& plan, Result& result) {
    const std::unordered_map<const SourceOp*, size_t> places = places_of(plan);
    std::erase_if(plan.partings, [&](const Parting& parting) {
        if (!distances.agree_behind(parting.first(), !parting.only_target.empty())) return false;
        mark_span(parting, 0, std::nullopt, places, result);
        return true;
    });
}

/// Whether a call of the target's only shows something: a number, or what it was given, and no op
/// takes that in.
bool only_shows(const Side& side, const SourceOp& op) {
    const auto index = static_cast<size_t>(&op - side.source.ops.data());
    const auto tensors = side.flow.of_op(index);
    const auto is_shown = [&](const TracedTensor& result) {
        return result.content && (result.content->numel == 1 ||
                                  std::ranges::any_of(tensors, [&](const TracedTensor& input) {
                                      return input.direction == Direction::kInput &&
                                             input.content &&
                                             same_content(*input.content, *result.content);
                                  }));
    };
    return !tensors.empty() && std::ranges::all_of(tensors, [&](const TracedTensor& tensor) {
        return tensor.direction == Direction::kInput || is_shown(tensor);
    }) && std::ranges::none_of(tensors, [&](const TracedTensor& tensor) {
        return tensor.direction == Direction::kInput && is_written_over(side, tensor);
    }) && !is_taken_in(side, index);
}

/// Likewise of calls; where the dataflow is known, what the target only shows. `flows` is nullptr
/// where it is not.
void forgive_calls(const PairedFlows* flows,
                   BothDistances& distances,
                   const Plan& plan,
                   Result& result) {
    int64_t forgiven = 0;
    for (size_t place = 0; place < result.ops.size(); ++place) {
        OpResult& op = result.ops[place];
        const bool of_target = op.golden.empty();
        if (op.target.empty() == op.golden.empty() || op.in_span || !op.unmatched.empty()) continue;
        const SourceOp& own = *(of_target ? plan.ops[place].target : plan.ops[place].golden);
        if (flows != nullptr && (!of_target || !only_shows(flows->target(), own))) continue;
        if (!distances.agree_behind(own, of_target)) continue;
        op.in_span = true;
        conclude(op, result.allow_golden_at_fault);
        ++forgiven;
    }
    if (forgiven > 0)
        result.notes.push_back(fmt::format(
            "{} op{} that one side alone has {} no finding: all that was compared agrees",
            forgiven,
            forgiven == 1 ? "" : "s",
            forgiven == 1 ? "is" : "are"));
}

/// Whether it adds to whole numbers, one each: how many steps an optimizer made.
bool only_counts(const Side& side, const SourceOp& op) {
    const auto tensors = side.of_op(op);
    return !tensors.empty() && std::ranges::all_of(tensors, [&](const TracedTensor& tensor) {
        return tensor.content && tensor.content->numel == 1 &&
               tensor.content->first == std::round(tensor.content->first) &&
               (tensor.direction == Direction::kInput || written_over(side, tensor) != nullptr);
    });
}

/// Which the other side's program keeps as numbers of its own.
void forgive_counters(const PairedFlows& flows, Plan& plan, Result& result) {
    const std::unordered_map<const SourceOp*, size_t> places = places_of(plan);
    std::erase_if(plan.partings, [&](const Parting& parting) {
        const auto all_count = [&](const Side& side, const std::vector<const SourceOp*>& ops) {
            return std::ranges::all_of(ops,
                                       [&](const SourceOp* op) { return only_counts(side, *op); });
        };
        if (!all_count(flows.target(), parting.only_target) ||
            !all_count(flows.golden(), parting.only_golden))
            return false;
        mark_span(parting, 0, std::nullopt, places, result);
        return true;
    });
}

/// What the other side's ops make as well, among other results.
void forgive_made_beside(const PairedFlows& flows, Plan& plan, Result& result) {
    const std::unordered_map<const SourceOp*, size_t> places = places_of(plan);
    const OneSidedOps ops(plan, flows, places);
    std::erase_if(plan.partings, [&](const Parting& parting) {
        if (!ops.are_made_beside_others(parting)) return false;
        mark_span(parting, 0, std::nullopt, places, result);
        return true;
    });
}

}  // namespace

void forgive_one_sided(const Traced* traced, Plan& plan, Result& result) {
    const PairedFlows* flows = traced != nullptr && traced->flows ? &*traced->flows : nullptr;
    if (flows != nullptr) forgive_counters(*flows, plan, result);
    if (flows != nullptr && !traced->has_inputs()) forgive_made_beside(*flows, plan, result);
    if (plan.is_related || has_findings(plan, result)) return;
    const bool tells_no_flow = flows == nullptr ? is_of_statistics(result) : !traced->has_inputs();
    BothDistances distances(plan, result);
    if (tells_no_flow) forgive_partings(distances, plan, result);
    if (result.by_calls && (tells_no_flow || flows != nullptr))
        forgive_calls(tells_no_flow ? nullptr : flows, distances, plan, result);
}

}  // namespace npuscope::compare
