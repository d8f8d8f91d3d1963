#include "compare/dataflow/late_givens.h"

#include <algorithm>

#include "compare/dataflow/input_roles.h"
#include "compare/dataflow/narrow_givens.h"
#include "compare/dataflow/traced_numbers.h"
#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

/// Of the norm: a parameter whose gradient is rounding is moved by so little at most.
constexpr double kLittleMoved = 1e-3;
/// Of the norm: farther than noise.
constexpr double kFarOff = 0.05;

/// Of fewer numbers other tensors hold as many alike.
constexpr int64_t kFewestInitial = 8;

/// Zeros are made by many ops, and stay zeros.
bool is_mostly_zero(const Tensor& elements) {
    const auto values = elements.as<double>();
    return 2 * std::ranges::count(values, 0.0) > std::ssize(values);
}

}  // namespace

LateGivens::LateGivens(const PairedFlows& flows)
    : flows_(flows), states_(flows), narrow_steps_(narrow_steps_remark(flows)) {}

bool LateGivens::is_other(const InputPair& input,
                          const InputPair& given,
                          const Relation& relation) const {
    const Content& theirs = *flows_.golden().tensor(given.golden).content;
    return (relation.likeness == Likeness::kMoved && theirs.tells_bag()) ||
           (relation.likeness == Likeness::kNarrowed && theirs.tells_order() &&
            narrow_steps_.empty()) ||
           states_.has(input.target, given.golden, relation) || is_edited(input, given, relation);
}

/// Arithmetic of 16 bits leaves most elements equal; and what is looked up differs by whole rows.
bool LateGivens::is_edited(const InputPair& input,
                           const InputPair& given,
                           const Relation& relation) const {
    const TracedTensor& mine = flows_.target().tensor(given.target);
    const TracedTensor& theirs = flows_.golden().tensor(given.golden);
    const OpPair& pair = flows_.plan().ops[input.pair];
    if (relation.likeness != Likeness::kEdited || relation.distance <= kFarOff || mine.producer ||
        holds_16_bits(theirs) || !theirs.content->tells_order() || theirs.shape.size() < 2 ||
        is_backward(pair.target->id.op) || !flows_.autograd_of(input.pair).empty())
        return false;
    const double edited = (1 - relation.equal) * static_cast<double>(theirs.content->numel);
    return edited < static_cast<double>(theirs.shape.back()) / 2 &&
           !is_mostly_zero(traced_numbers(flows_.golden(), given.golden));
}

bool LateGivens::is_moved_alone(const InputPair& input, const Relation& relation) const {
    return relation.distance <= kLittleMoved &&
           (relation.likeness == Likeness::kEdited || relation.likeness == Likeness::kOther) &&
           takes_parameter(flows_.target(), flows_.target().tensor(input.target));
}

bool LateGivens::is_put_for_initial(const InputPair& input,
                                    const InputPair& given,
                                    const Relation& relation) const {
    const TracedTensor& mine = flows_.target().tensor(given.target);
    const TracedTensor& theirs = flows_.golden().tensor(given.golden);
    return mine.producer && !mine.ambiguous && !mine.content->constant && !theirs.producer &&
           theirs.content->constant && theirs.content->numel >= kFewestInitial &&
           theirs.content->first != 0 && relation.likeness == Likeness::kOther &&
           relation.distance > kFarOff &&
           takes_parameter(flows_.target(), flows_.target().tensor(input.target));
}

}  // namespace npuscope::compare
