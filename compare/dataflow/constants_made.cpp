#include "compare/dataflow/constants_made.h"

#include <algorithm>
#include <unordered_set>

#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Elements of a size, or of other numbers that say what is made.
constexpr int64_t kMostNumbers = 8;

bool is_plain_number(const TracedTensor& input) {
    return input.shape.size() <= 1 && numel_of(input.shape) <= kMostNumbers;
}

/// A small tensor, not the number or the size that a constant is made of.
bool may_be_data(const TracedTensor& tensor) {
    const auto dtype = dtype_from_name(tensor.dtype);
    return tensor.direction == Direction::kInput && !tensor.shape.empty() && dtype &&
           is_float(*dtype);
}

}  // namespace

bool make_equal_constants(const PairedFlows& flows,
                          const std::vector<const SourceOp*>& ops,
                          bool of_target) {
    const Side& side = of_target ? flows.target() : flows.golden();
    std::unordered_set<size_t> inside;
    for (const SourceOp* op : ops)
        inside.insert(static_cast<size_t>(op - side.source.ops.data()));
    const auto is_from_inside = [&](const TracedTensor& tensor) {
        return tensor.producer && inside.contains(side.tensor(*tensor.producer).op);
    };
    bool has_data = false;
    for (const size_t op : inside)
        for (const TracedTensor& tensor : side.flow.of_op(op)) {
            // zeros_like looks at a shape.
            if (tensor.direction == Direction::kInput &&
                is_unread(side.source.ops[op].id.op, tensor.argument))
                continue;
            has_data = has_data || may_be_data(tensor);
            if (tensor.direction == Direction::kOutput && !tensor.content) return false;
            if (tensor.direction == Direction::kInput && !is_from_inside(tensor) &&
                (tensor.producer || !is_plain_number(tensor)))
                return false;
        }
    // Views that nobody recorded may stand between them and what takes them in, on either side.
    const auto is_taken_in = [&](const TracedTensor& tensor) {
        return tensor.direction == Direction::kInput && is_from_inside(tensor) &&
               !inside.contains(tensor.op);
    };
    bool any = side.source.may_have_inputs() && !has_data &&
               std::ranges::none_of(side.flow.tensors, is_taken_in);
    for (const InputPair& pair : flows.inputs()) {
        const TracedTensor& mine = flows.target().tensor(pair.target);
        const TracedTensor& theirs = flows.golden().tensor(pair.golden);
        const TracedTensor& taken = of_target ? mine : theirs;
        if (!is_from_inside(taken)) continue;
        const TracedTensor& other = of_target ? theirs : mine;
        if (same_content(*mine.content, *theirs.content))
            any = true;
        else if (!taken.ambiguous || !other.content->constant)
            // Numbers that are all alike some other op may have made, and yet not these.
            return false;
    }
    return any;
}

}  // namespace npuscope::compare
