#include "compare/programs/exchanged_ops.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace npuscope::compare {

namespace {

using Places = std::unordered_map<const SourceOp*, size_t>;

/// Who alone takes in what each op of a side makes; nullptr where several do.
using OnlyUsers = std::unordered_map<const SourceOp*, const SourceOp*>;

OnlyUsers only_users(const Side& side) {
    OnlyUsers users;
    for (const TracedTensor& tensor : side.flow.tensors) {
        if (tensor.direction != dumpfile::Direction::kInput || !tensor.producer) continue;
        const SourceOp* maker = &side.source.ops[side.tensor(*tensor.producer).op];
        const SourceOp* user = tensor.ambiguous ? nullptr : &side.source.ops[tensor.op];
        const auto [known, is_first] = users.emplace(maker, user);
        if (!is_first && known->second != user) known->second = nullptr;
    }
    return users;
}

/// One op with one op.
bool is_pair(const OpPair& pair) {
    return pair.target != nullptr && pair.golden != nullptr && pair.also_target.empty() &&
           pair.also_golden.empty();
}

/// Two places of a plan: the target's op of the first gives to that of the second.
struct Exchange {
    size_t first = 0;
    size_t second = 0;
};

std::vector<Exchange> exchanges_in(const PairedFlows& flows, const Places& places) {
    const Plan& plan = flows.plan();
    const OnlyUsers mine = only_users(flows.target());
    const OnlyUsers theirs = only_users(flows.golden());
    const auto user_of = [](const OnlyUsers& users, const SourceOp* op) {
        const auto found = users.find(op);
        return found == users.end() ? nullptr : found->second;
    };
    std::vector<Exchange> found;
    for (size_t place = 0; place < plan.ops.size(); ++place) {
        const OpPair& pair = plan.ops[place];
        if (!is_pair(pair)) continue;
        const SourceOp* next = user_of(mine, pair.target);
        const auto other = next == nullptr ? places.end() : places.find(next);
        if (other == places.end() || other->second == place || !is_pair(plan.ops[other->second]))
            continue;
        if (user_of(theirs, plan.ops[other->second].golden) == pair.golden)
            found.push_back({place, other->second});
    }
    return found;
}

/// The last pair before an op of the target; an empty one at the begin.
OpPair pair_before(const SourceOp* op,
                   const Source& target,
                   const Plan& plan,
                   const Places& places) {
    while (op != target.ops.data()) {
        const auto place = places.find(--op);
        if (place != places.end() && is_pair(plan.ops[place->second]))
            return plan.ops[place->second];
    }
    return {};
}

/// Of the target's op that a parting is told at, or behind.
const SourceOp* place_of(const Parting& parting) {
    return parting.only_target.empty() ? parting.before_target : parting.only_target.front();
}

}  // namespace

bool part_exchanged(const PairedFlows& flows, Plan& plan) {
    const Places places = places_of(plan);
    const std::vector<Exchange> found = exchanges_in(flows, places);
    for (const auto& [first, second] : found) {
        OpPair& one = plan.ops[first];
        OpPair& other = plan.ops[second];
        // Three in a row: the first two of them.
        if (!is_pair(one) || !is_pair(other)) continue;
        const OpPair before = pair_before(one.target, flows.target().source, plan, places);
        plan.partings.push_back({.only_target = {one.target, other.target},
                                 .only_golden = {other.golden, one.golden},
                                 .before_target = before.target,
                                 .before_golden = before.golden});
        const SourceOp* their_first = std::exchange(other.golden, nullptr);
        const SourceOp* their_second = std::exchange(one.golden, nullptr);
        for (OpPair* each : {&one, &other}) {
            each->match.clear();
            each->ties.clear();
        }
        plan.ops.push_back({nullptr, their_first});
        plan.ops.push_back({nullptr, their_second});
    }
    std::ranges::stable_sort(plan.partings, {}, place_of);
    return !found.empty();
}

}  // namespace npuscope::compare
