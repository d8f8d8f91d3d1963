#include "compare/dataflow/seen_through.h"

#include "compare/dataflow/view.h"
#include "core/naming/casts.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

SeenThrough::SeenThrough(const PairedFlows& flows) {
    for (const OpPair& cast : flows.plan().casts)
        ops_.insert(cast.target != nullptr ? cast.target : cast.golden);
}

/// nullptr where none of the ops made the input.
const TracedTensor* SeenThrough::given_to_maker(const Side& side, const TracedTensor& input) const {
    if (!input.producer) return nullptr;
    const TracedTensor& made = side.tensor(*input.producer);
    return ops_.contains(&side.source.ops[made.op]) ? given_to(side, made) : nullptr;
}

std::optional<size_t> SeenThrough::maker_of(const Side& side, const TracedTensor& input) const {
    const TracedTensor* tensor = &input;
    while (const TracedTensor* given = given_to_maker(side, *tensor))
        tensor = given;
    return tensor->producer;
}

size_t SeenThrough::before_casts(const Side& side, size_t input) const {
    const TracedTensor* tensor = &side.tensor(input);
    while (tensor->passage != Passage::kPart) {
        const TracedTensor* given = given_to_maker(side, *tensor);
        if (given == nullptr) break;
        tensor = given;
    }
    return static_cast<size_t>(tensor - side.flow.tensors.data());
}

Tensor SeenThrough::uncast(const Side& side, size_t input) const {
    Tensor shown = as_it_was(side, input);
    const TracedTensor* given = given_to_maker(side, side.tensor(input));
    if (given == nullptr || side.tensor(input).passage == Passage::kPart) return shown;
    const TracedTensor& made = side.tensor(*side.tensor(input).producer);
    const bool is_in_order =
        made.content && made.content->sequence == side.tensor(input).content->sequence;
    const auto open = [&](const TracedTensor& tensor) {
        return as_it_was(side, static_cast<size_t>(&tensor - side.flow.tensors.data()));
    };
    Tensor before = uncast(side, static_cast<size_t>(given - side.flow.tensors.data()));
    if (!is_copy(side.source.ops[made.op].id.op)) {  // rounds nothing, and moves the elements
        const auto view = find_view(shown, open(*given));
        return view ? apply(*view, before) : shown;
    }
    if (is_in_order) return before.reshaped(shown.shape());
    const auto view = find_view(shown, open(made));
    return view ? apply(*view, before) : shown;
}

Tensor as_it_was(const Side& side, size_t tensor) {
    Tensor stored = open_traced(side.source, side.flow, tensor)->whole();
    if (!side.source.ops[side.tensor(tensor).op].stores_wider || stored.dtype() != DType::kFloat32)
        return stored;
    Tensor narrow = stored.cast(DType::kBFloat16);
    return identical(narrow.cast(DType::kFloat32), stored) ? narrow : stored;
}

const TracedTensor* given_to(const Side& side, const TracedTensor& output) {
    const std::string& op = side.source.ops[output.op].id.op;
    for (const TracedTensor& each : side.flow.of_op(output.op))
        if (each.direction == dumpfile::Direction::kInput && each.content && output.content &&
            each.content->numel == output.content->numel && !is_unread(op, each.argument))
            return &each;
    return nullptr;
}

bool shows_given(const Side& side, const TracedTensor& input) {
    const TracedTensor* tensor = &input;
    while (tensor->producer) {
        const TracedTensor& made = side.tensor(*tensor->producer);
        const TracedTensor* before =
            is_cast(side.source.ops[made.op].id.op) ? given_to(side, made) : nullptr;
        if (before == nullptr || !input.content || before->content->bag != input.content->bag)
            return false;
        tensor = before;
    }
    return true;
}

}  // namespace npuscope::compare
