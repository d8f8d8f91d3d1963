#include "compare/dataflow/constants_made.h"

#include <algorithm>
#include <unordered_set>

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Elements of a size, or of other numbers that say what is made.
constexpr int64_t kMostNumbers = 8;

bool is_plain_number(const TracedTensor& input) {
    return input.shape.size() <= 1 && numel_of(input.shape) <= kMostNumbers;
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
    for (const size_t op : inside)
        for (const TracedTensor& tensor : side.flow.of_op(op)) {
            if (tensor.direction == Direction::kOutput && !tensor.content) return false;
            if (tensor.direction == Direction::kInput && !is_from_inside(tensor) &&
                (tensor.producer || !is_plain_number(tensor)))
                return false;
        }
    bool any = false;
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
