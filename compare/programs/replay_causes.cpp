#include "compare/programs/replay_causes.h"

#include <algorithm>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/growth/side_distances.h"
#include "compare/op_facts.h"
#include "compare/programs/given_vectors.h"
#include "compare/programs/op_findings.h"
#include "compare/relate/kinship.h"
#include "core/naming/aliases.h"

namespace npuscope::compare {

using dumpfile::Direction;

bool take_in_partners(const PairedFlows& flows, const OpPair& pair) {
    if (pair.target == nullptr || pair.golden == nullptr) return false;
    const auto mine = flows.target().of_op(*pair.target);
    bool is_any_made = false;
    for (const TracedTensor& theirs : flows.golden().of_op(*pair.golden)) {
        if (theirs.direction != Direction::kInput || !theirs.producer) continue;
        const auto own = std::ranges::find_if(mine, [&](const TracedTensor& tensor) {
            return tensor.direction == Direction::kInput && tensor.argument == theirs.argument;
        });
        if (own == mine.end() || !own->producer ||
            flows.partner_of(*theirs.producer) != own->producer)
            return false;
        is_any_made = true;
    }
    return is_any_made;
}

bool is_another_given(const PairedFlows& flows,
                      const OpPair& pair,
                      const OpResult& op,
                      const std::string& tensor) {
    constexpr double kSame = 1e-3;
    if (pair.target == nullptr || pair.golden == nullptr ||
        canonical_name(pair.target->id.op) != canonical_name(pair.golden->id.op))
        return false;
    const TensorResult* given = nullptr;
    bool is_any_same = false;
    for (const TensorResult& each : op.tensors) {
        if (each.direction != Direction::kInput || each.metrics.empty()) continue;
        if (each.target == tensor) {
            given = &each;
            continue;
        }
        if (each.sums.numel <= 1) continue;
        if (distance_of(each, true).norm > kSame) return false;
        is_any_same = true;
    }
    if (given == nullptr || !is_any_same) return false;
    const auto mine = flows.target().of_op(*pair.target);
    const auto theirs = flows.golden().of_op(*pair.golden);
    const auto other = std::ranges::find(mine, given->target, &TracedTensor::path);
    const auto own = std::ranges::find(theirs, given->golden, &TracedTensor::path);
    return other != mine.end() && !other->producer && own != theirs.end() && !own->producer &&
           own->content && own->content->tells_bag() &&
           std::ranges::none_of(flows.target().flow.tensors, [&](const TracedTensor& each) {
               return each.content && each.content->numel == own->content->numel &&
                      each.content->bag == own->content->bag;
           });
}

std::optional<bool> are_faults_before(const Plan& plan,
                                      const Result& result,
                                      const ReplayedResult& apart) {
    const SourceOp* own = plan.ops[apart.pair].golden;
    std::optional<bool> before;
    for (size_t place = 0; place < result.ops.size(); ++place) {
        const OpPair& pair = plan.ops[place];
        if (pair.target != nullptr && pair.golden != nullptr &&
            is_at_fault_itself(result.ops[place]))
            before = before.value_or(false) || pair.golden <= own;
    }
    return before;
}

std::optional<Cause> called_otherwise(const Plan& plan,
                                      const Result& result,
                                      const Replay& replay,
                                      const std::unordered_map<const SourceOp*, size_t>& places) {
    for (const SourceOp* target : replay.target_ops) {
        const auto place = places.find(target);
        if (place == places.end()) continue;
        const OpPair& pair = plan.ops[place->second];
        const OpResult& op = result.ops[place->second];
        if (pair.golden != nullptr) {
            if (op.shapes_differ && !op.arguments.empty() && !is_at_fault_itself(op) &&
                !are_one_axis(pair, op.arguments))
                return Cause{place->second, to_text(op.arguments)};
            continue;
        }
        // Results of other shapes are no pair.
        const auto is_like = [&](const SourceOp* golden) {
            const auto own = places.find(golden);
            return own != places.end() && plan.ops[own->second].target == nullptr &&
                   canonical_name(golden->id.op) == canonical_name(target->id.op) &&
                   numel_of(first_shape(*golden)) != numel_of(first_shape(*target));
        };
        const auto golden = std::ranges::find_if(replay.golden_ops, is_like);
        if (golden == replay.golden_ops.end() || !target->facts || !(*golden)->facts) continue;
        OpResult both;
        take_facts(target->facts(), (*golden)->facts(), both);
        if (!both.arguments.empty()) return Cause{place->second, to_text(both.arguments)};
    }
    return std::nullopt;
}

std::optional<Cause> missing_bias(const Plan& plan,
                                  const PairedFlows& flows,
                                  const Replay& replay,
                                  const std::unordered_map<const SourceOp*, size_t>& places) {
    const bool sums_more = std::ranges::any_of(replay.golden_ops, [&](const SourceOp* op) {
        const auto place = places.find(op);
        return place != places.end() && plan.ops[place->second].target == nullptr;
    });
    if (!sums_more) return std::nullopt;
    for (size_t place = 0; place < replay.first_apart->pair; ++place) {
        const OpPair& pair = plan.ops[place];
        if (pair.target == nullptr || pair.golden == nullptr ||
            !lacks_bias(plan, flows, {pair.target}, {pair.golden}))
            continue;
        return Cause{place,
                     fmt::format("the golden's {} adds a bias, and {} does not; the target sums no "
                                 "gradient of it there, and {} is off",
                                 pair.golden->path,
                                 pair.target->path,
                                 replay.first_apart->target)};
    }
    return std::nullopt;
}

}  // namespace npuscope::compare
