#include "diagnose/judge/replay_ends.h"

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "compare/random_ops.h"
#include "core/naming/aliases.h"
#include "core/naming/casts.h"
#include "diagnose/judge/explained_ops.h"
#include "diagnose/judge/lasting_differences.h"
#include "diagnose/judge/replay_numbers.h"
#include "diagnose/judge/replay_states.h"

namespace npuscope::diagnose {

namespace {

/// So many times farther off than what is allowed, a result is not only noise.
constexpr double kSurelyUnlike = 2;

using compare::PairedFlows;
using compare::ReplayedEnds;
using compare::Side;
using compare::TracedTensor;
using dumpfile::Direction;

/// So many times fewer results than those that agree may be paired by chance.
constexpr size_t kManyApart = 3;
constexpr size_t kManyBesideLoss = 8;
/// So many ops are told.
constexpr size_t kMostOps = 64;

/// Whether an op takes in another result of the op that made it: a norm's mean, beside what it
/// normalised.
bool is_by_product(const Side& golden, const ReplayedResults& results, size_t result) {
    const std::span<const TracedTensor> tensors = golden.flow.of_op(golden.tensor(result).op);
    return std::ranges::any_of(tensors, [&](const TracedTensor& each) {
        return each.direction == Direction::kOutput &&
               results.used.contains(static_cast<size_t>(&each - golden.flow.tensors.data()));
    });
}

/// Whether an op takes in tensors that the target has as well, and nothing else that was made.
bool is_made_of_agreeing(const Side& golden, const ReplayedResults& results, size_t op) {
    bool is_any_tensor = false;
    for (const TracedTensor& each : golden.flow.of_op(op)) {
        if (each.direction != Direction::kInput || !each.producer) continue;
        if (!results.agrees(*each.producer)) return false;
        is_any_tensor = is_any_tensor || (each.content && each.content->numel > 1);
    }
    return is_any_tensor;
}

/// Counts the ends; those that are apart.
std::vector<size_t> count_ends(const Side& golden,
                               const ReplayedResults& results,
                               compare::Replay& replay) {
    std::vector<size_t> apart;
    std::vector<size_t> missing;
    size_t scaled = 0;
    for (size_t i = 0; i < golden.flow.tensors.size(); ++i) {
        if (golden.tensor(i).direction != Direction::kOutput || !is_end(golden, results, i))
            continue;
        const auto judged = results.judged.find(i);
        if (judged != results.judged.end() && judged->second.is_scaled) {
            ++scaled;
            continue;
        }
        const bool is_alike = results.agrees(i) || results.found.contains(i);
        const bool is_updated = compare::state_before(golden, golden.tensor(i)) != nullptr;
        const bool is_apart = !is_alike && judged != results.judged.end();
        if (!is_alike && !is_apart && !is_updated) missing.push_back(i);
        const auto of = is_alike   ? &ReplayedEnds::alike
                        : is_apart ? &ReplayedEnds::apart
                                   : &ReplayedEnds::missing;
        if (is_apart) apart.push_back(i);
        const bool is_found = is_alike || is_apart;
        // A recorder that leaves out an op leaves out all that it makes.
        if (is_found || is_updated || !is_by_product(golden, results, i)) ++(replay.ends.*of);
        if (!is_updated) continue;
        ++(replay.states.*of);
        if (!is_found) replay.missing_states.push_back(golden.tensor(i).path);
    }
    for (const size_t state : used_states_apart(golden, results)) {
        ++replay.ends.apart;
        ++replay.states.apart;
        apart.push_back(state);
    }
    // Where no end has a partner, the last results before them tell.
    if (replay.ends.alike + replay.ends.apart == 0)
        for (const size_t end : missing)
            for (const size_t before : apart_before(golden, results, end)) {
                apart.push_back(before);
                ++replay.ends.apart;
            }
    // Whether the scale is taken back is seen where parameters change.
    if (replay.states.alike + replay.states.apart + replay.states.missing == 0)
        replay.ends.alike += scaled;
    return apart;
}

/// Results of the golden, themselves included, as far back as nothing is proven.
std::set<size_t> made_of(const Side& golden,
                         const ReplayedResults& results,
                         std::vector<size_t> open) {
    std::set<size_t> seen(open.begin(), open.end());
    while (!open.empty()) {
        const size_t op = golden.tensor(open.back()).op;
        open.pop_back();
        for (const TracedTensor& each : golden.flow.of_op(op))
            if (each.direction == Direction::kInput && each.producer && !each.ambiguous &&
                !results.proves(*each.producer) && seen.insert(*each.producer).second)
                open.push_back(*each.producer);
    }
    return seen;
}

/// Results of the same op on both sides that do not agree, where those that do are fewer than so
/// many times these; else none.
std::vector<size_t> many_apart(const PairedFlows& flows,
                               const ReplayedResults& results,
                               size_t times) {
    std::vector<size_t> apart;
    size_t agreeing = 0;
    for (const auto& [index, judged] : results.judged) {
        if (judged.is_scaled) continue;
        if (judged.agrees()) {
            ++agreeing;
        } else if (const compare::OpPair& pair = flows.plan().ops[judged.pair];
                   pair.target != nullptr && pair.golden != nullptr &&
                   canonical_name(pair.target->id.op) == canonical_name(pair.golden->id.op)) {
            apart.push_back(index);
        }
    }
    if (apart.size() * times <= agreeing) apart.clear();
    return apart;
}

/// Whether any is made of data: the gradients of a loss begin with plain numbers alone.
bool are_of_data(const Side& golden, const std::set<size_t>& made) {
    return std::ranges::any_of(made, [&](size_t index) {
        const std::span<const TracedTensor> tensors = golden.flow.of_op(golden.tensor(index).op);
        return std::ranges::any_of(tensors, [&](const TracedTensor& each) {
            return each.direction == Direction::kInput && each.content &&
                   each.content->tells_order() && !(each.producer && made.contains(*each.producer));
        });
    });
}

/// Ops of which some result does not agree, that some of the ends that are apart is made of.
std::unordered_set<const SourceOp*> ops_apart(const Side& golden,
                                              const ReplayedResults& results,
                                              const std::vector<size_t>& ends) {
    std::unordered_set<const SourceOp*> apart;
    for (const size_t end : ends) {
        const std::set<size_t> made = made_of(golden, results, {end});
        if (!are_of_data(golden, made)) continue;
        for (const size_t index : made)
            if (results.judged.contains(index) && !results.agrees(index))
                apart.insert(&golden.source.ops[golden.tensor(index).op]);
    }
    return apart;
}

std::vector<const SourceOp*> ops_of(const Side& side, const std::set<size_t>& indices) {
    std::vector<const SourceOp*> ops;
    for (const size_t index : indices)
        ops.push_back(&side.source.ops[index]);
    return ops;
}

}  // namespace

std::set<size_t> ops_between(const Side& target,
                             const std::unordered_set<std::string>& agreeing,
                             size_t last) {
    std::vector<size_t> open = {last};
    std::set<size_t> ops;
    while (!open.empty() && ops.size() < kMostOps) {
        const size_t op = open.back();
        open.pop_back();
        if (!ops.insert(op).second) continue;
        for (const TracedTensor& each : target.flow.of_op(op)) {
            if (each.direction != Direction::kInput || !each.producer) continue;
            const TracedTensor& made = target.tensor(*each.producer);
            // Which op made plain numbers is a guess.
            if (each.ambiguous)
                ops.insert(made.op);
            else if (!agreeing.contains(made.path))
                open.push_back(made.op);
        }
    }
    return ops;
}

void use_twins(const Side& golden, ReplayedResults& results) {
    std::unordered_multimap<uint64_t, size_t> by_elements;
    for (const size_t used : results.used)
        if (const auto& content = golden.tensor(used).content)
            by_elements.emplace(content->sequence, used);
    for (size_t i = 0; i < golden.flow.tensors.size(); ++i) {
        const TracedTensor& made = golden.tensor(i);
        if (made.direction != Direction::kOutput || !made.content || results.used.contains(i))
            continue;
        const auto [first, last] = by_elements.equal_range(made.content->sequence);
        const bool is_used = std::any_of(first, last, [&](const auto& each) {
            const TracedTensor& twin = golden.tensor(each.second);
            return twin.op > made.op && compare::same_content(*twin.content, *made.content) &&
                   golden.source.ops[twin.op].id.op == golden.source.ops[made.op].id.op;
        });
        if (is_used) results.used.insert(i);
    }
}

void allow_for_steps(const Side& target,
                     const ReplayedResults& results,
                     compare::ReplayedResult& judged) {
    constexpr double kOfSteps = 2e-5;
    constexpr size_t kSeveral = 4;
    if (judged.off > kOfSteps || ops_between(target, results.agreeing, judged.op).size() < kSeveral)
        return;
    judged.allowed = std::max(judged.allowed, kOfSteps);
}

bool is_end(const Side& golden, const ReplayedResults& results, size_t result) {
    const TracedTensor& tensor = golden.tensor(result);
    const auto dtype = dtype_from_name(tensor.dtype);
    const SourceOp& op = golden.source.ops[tensor.op];
    const bool tells = tensor.content && (!tensor.content->constant || tensor.content->numel == 1);
    return tells && dtype && is_float(*dtype) && !results.used.contains(result) &&
           !results.unknown.contains(result) && !is_cast(op.id.op) && !compare::may_be_random(op);
}

bool is_no_chance(const TracedTensor& result, double honest) {
    constexpr double kTightOfOne = 1e-5;
    constexpr int kPlainBits = 8;
    if (!result.content || result.content->numel > 1) return honest <= kTight;
    return honest <= kTightOfOne && compare::told_bits(result.content->first) > kPlainBits;
}

bool stands_beside_agreeing(const Side& golden, const ReplayedResults& results, size_t result) {
    const std::span<const TracedTensor> tensors = golden.flow.of_op(golden.tensor(result).op);
    return std::ranges::any_of(tensors, [&](const TracedTensor& each) {
        return each.direction == Direction::kOutput &&
               is_float(dtype_from_name(each.dtype).value_or(DType::kFloat32)) &&
               results.agrees(static_cast<size_t>(&each - golden.flow.tensors.data()));
    });
}

compare::Replay replay_of(const PairedFlows& flows, const ReplayedResults& results) {
    const Side& golden = flows.golden();
    compare::Replay replay;
    std::vector<size_t> apart = count_ends(golden, results, replay);
    replay.apart = ops_apart(golden, results, apart);
    // Losses of a part of the batch, whose gradients are added up, are not those of all of it; and
    // an optimizer's first step is the same whatever its gradients are multiplied by. There many
    // runs of the same ops that are apart tell.
    const bool are_losses = std::ranges::none_of(made_of(golden, results, apart),
                                                 [&](size_t index) {
                                                     return results.judged.contains(index) &&
                                                            golden.tensor(index).content->numel > 1;
                                                 }) &&
                            std::ranges::none_of(apart, [&](size_t end) {
                                return is_made_of_agreeing(golden, results, golden.tensor(end).op);
                            });
    if (are_losses) {
        std::vector<size_t> many =
            many_apart(flows, results, apart.empty() ? kManyApart : kManyBesideLoss);
        if (many.empty()) {
            replay.ends.apart -= apart.size();
            replay.ends.missing += apart.size();
        }
        apart = std::move(many);
    }
    std::unordered_set<const SourceOp*> on_the_way;
    for (const auto& [index, judged] : results.judged) {
        if (!judged.agrees()) continue;
        for (const size_t each : made_of(golden, results, {index})) {
            const SourceOp* op = &golden.source.ops[golden.tensor(each).op];
            on_the_way.insert(op);
            if (judged.proves()) replay.settled.insert(op);
        }
    }
    for (const auto& [index, judged] : results.judged) {
        double& off = replay.off[&golden.source.ops[golden.tensor(index).op]];
        off = std::max(off, judged.at_partner);
        if (judged.off > kSurelyUnlike * judged.allowed && !judged.is_scaled)
            replay.unlike.insert(&golden.source.ops[golden.tensor(index).op]);
    }
    replay.unknown = results.unknown_ops;
    replay.lasting = lasting_differences(golden, results);
    replay.made_good = differences_made_good(golden, results);
    replay.explained = ops_explained(flows, results);
    replay.held = results.judged.size();
    replay.unproven = results.unproven;
    replay.computed = results.computed;
    replay.not_computed = results.not_computed;
    const std::set<size_t> made = made_of(golden, results, apart);
    const auto is_first = [&](size_t index, bool or_way) {
        return results.judged.contains(index) && !results.agrees(index) &&
               (or_way || !is_on_the_way(flows, results, on_the_way, index));
    };
    const bool is_any =
        std::ranges::any_of(made, [&](size_t index) { return is_first(index, false); });
    for (const size_t index : made) {
        if (!is_first(index, !is_any)) continue;
        const auto judged = results.judged.find(index);
        replay.first_apart = judged->second;
        std::set<size_t> ops;
        for (const size_t each : made_of(golden, results, {index}))
            ops.insert(golden.tensor(each).op);
        replay.golden_ops = ops_of(golden, ops);
        replay.target_ops = ops_of(
            flows.target(), ops_between(flows.target(), results.agreeing, judged->second.op));
        break;
    }
    return replay;
}

}  // namespace npuscope::diagnose
