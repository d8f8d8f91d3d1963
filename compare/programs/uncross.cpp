#include "compare/programs/uncross.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compare/dataflow/seen_through.h"

namespace npuscope::compare {

namespace {

/// How many pairs further the other one may be.
constexpr size_t kReach = 24;

/// Places in PairedFlows::inputs(), ascending.
using Uses = std::vector<size_t>;

/// By op, of one side: which inputs hold what it made.
using UsesOfOps = std::unordered_map<const SourceOp*, Uses>;

UsesOfOps uses_of(const PairedFlows& flows, const SeenThrough& through, bool of_target) {
    const Side& side = of_target ? flows.target() : flows.golden();
    UsesOfOps uses;
    for (size_t i = 0; i < flows.inputs().size(); ++i) {
        const InputPair& pair = flows.inputs()[i];
        const TracedTensor& input = side.tensor(of_target ? pair.target : pair.golden);
        const auto maker = input.ambiguous ? std::nullopt : through.maker_of(side, input);
        if (maker) uses[&side.source.ops[side.tensor(*maker).op]].push_back(i);
    }
    return uses;
}

bool are_common(const Uses& one, const Uses& other) {
    Uses common;
    std::ranges::set_intersection(one, other, std::back_inserter(common));
    return !common.empty();
}

/// By name alone, of one op on either side.
bool is_plain(const OpPair& pair) {
    return pair.target != nullptr && pair.golden != nullptr && pair.also_target.empty() &&
           pair.also_golden.empty() && pair.ties.empty() && !pair.shapes_differ &&
           !pair.inputs_differ;
}

bool are_crossed(const OpPair& one, const OpPair& other) {
    return is_plain(other) && one.target->id.op == other.target->id.op &&
           one.golden->id.op == other.golden->id.op && one.golden > other.golden;
}

}  // namespace

bool uncross(const PairedFlows& flows, Plan& plan) {
    const SeenThrough through(flows);
    const UsesOfOps mine = uses_of(flows, through, true);
    const UsesOfOps theirs = uses_of(flows, through, false);
    const auto take_it_alike = [&](const SourceOp* target, const SourceOp* golden) {
        const auto one = mine.find(target);
        const auto other = theirs.find(golden);
        return one != mine.end() && other != theirs.end() && are_common(one->second, other->second);
    };
    bool any = false;
    for (size_t i = 0; i < plan.ops.size(); ++i) {
        OpPair& one = plan.ops[i];
        if (!is_plain(one) || take_it_alike(one.target, one.golden)) continue;
        for (size_t k = i + 1; k < std::min(i + 1 + kReach, plan.ops.size()); ++k) {
            OpPair& other = plan.ops[k];
            if (!are_crossed(one, other) || take_it_alike(other.target, other.golden) ||
                !take_it_alike(one.target, other.golden) ||
                !take_it_alike(other.target, one.golden))
                continue;
            std::swap(one.golden, other.golden);
            any = true;
            break;
        }
    }
    return any;
}

}  // namespace npuscope::compare
