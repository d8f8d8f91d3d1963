#include "compare/origins/given_otherwise.h"

#include <algorithm>
#include <cstdint>
#include <set>

#include "compare/agreement.h"
#include "compare/align/span_tensors.h"
#include "compare/growth/any_order.h"
#include "compare/programs/agrees_behind.h"
#include "core/base/error.h"
#include "core/naming/aliases.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Results that hold the same in another order are off by no more of their norm.
constexpr double kMovedNoise = 0.01;

/// Whether both hold the same elements in any order, up to small errors.
bool hold_the_same(const SourceTensor& target, const SourceTensor& golden) {
    const auto distance = distance_in_any_order(target, golden);
    return distance && *distance <= kMovedNoise;
}

/// Whether the result in its place holds all elements of another input, in any order, and no more.
bool holds_what_was_put(const Side& side, const TracedTensor& input) {
    const auto tensors = side.flow.of_op(input.op);
    return std::ranges::any_of(tensors, [&](const TracedTensor& result) {
        return result.direction == Direction::kOutput && result.argument == input.argument &&
               result.content && result.content->tells_bag() &&
               std::ranges::any_of(tensors, [&](const TracedTensor& other) {
                   return other.direction == Direction::kInput && &other != &input &&
                          other.argument != input.argument && other.content &&
                          other.content->numel == result.content->numel &&
                          other.content->bag == result.content->bag;
               });
    });
}

}  // namespace

bool results_hold_the_same(const OpPair& pair) {
    try {
        const BothTensors both = tensors_of(pair);
        bool any = false;
        for (const TensorPair& tensors : pair_tensors(pair, both.target, both.golden, true)) {
            if (tensors.known().direction != Direction::kOutput) continue;
            if (tensors.target == nullptr || tensors.golden == nullptr ||
                !hold_the_same(*tensors.target, *tensors.golden))
                return false;
            any = true;
        }
        return any;
    } catch (const Error&) {
        return false;
    }
}

bool GivenOtherwise::outputs_agree() const {
    const Inflows inflows(flows_, result_);
    bool any = false;
    for (const OpResult& op : result_.ops)
        for (const TensorResult& tensor : op.tensors) {
            if (tensor.metrics.empty() || !inflows.is_last(op, tensor)) continue;
            if (!agrees(tensor)) return false;
            any = true;
        }
    return any;
}

/// What it held before is lost, as the results tell: memory that nobody had written.
bool GivenOtherwise::is_lost(const GivenFinding& finding) const {
    const Side& side = flows_.target();
    const TracedTensor& input = side.tensor(finding.input.target);
    return is_written_over(side, input) &&
           (results_agree(result_.ops[finding.input.pair]) || holds_what_was_put(side, input));
}

bool GivenOtherwise::are_exchanged(const InputPair& inputs) const {
    if (!results_agree(result_.ops[inputs.pair])) return false;
    const auto bags_of = [](const Side& side, size_t op) {
        std::multiset<uint64_t> bags;
        for (const TracedTensor& tensor : side.flow.of_op(op))
            if (tensor.direction == Direction::kInput && tensor.content)
                bags.insert(tensor.content->bag);
        return bags;
    };
    const size_t target = flows_.target().tensor(inputs.target).op;
    const size_t golden = flows_.golden().tensor(inputs.golden).op;
    const auto mine = bags_of(flows_.target(), target);
    return mine.size() > 1 && mine == bags_of(flows_.golden(), golden);
}

bool GivenOtherwise::explains(const GivenFinding& finding) const {
    if (is_lost(finding) || are_exchanged(finding.input)) return true;
    const OpPair& pair = flows_.plan().ops[finding.input.pair];
    const bool is_other_layout = flows_.target().tensor(finding.input.target).shape !=
                                 flows_.golden().tensor(finding.input.golden).shape;
    if (finding.relation.likeness == Likeness::kMoved && is_other_layout &&
        is_cast(pair.target->id.op) &&
        agrees_behind(flows_, result_, finding.input.pair, kAgreement))
        return true;
    if (!flows_.plan().is_related) return false;
    if (!pair.ties.empty() &&
        canonical_name(pair.target->id.op) != canonical_name(pair.golden->id.op) &&
        results_agree(result_.ops[finding.input.pair]))
        return true;
    return finding.relation.likeness == Likeness::kMoved && results_hold_the_same(pair) &&
           outputs_agree();
}

}  // namespace npuscope::compare
