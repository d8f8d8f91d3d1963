#include "compare/dataflow/seen_through.h"

#include "core/naming/overwritten.h"

namespace npuscope::compare {

SeenThrough::SeenThrough(const PairedFlows& flows) {
    for (const OpPair& cast : flows.plan().casts)
        ops_.insert(cast.target != nullptr ? cast.target : cast.golden);
}

std::optional<size_t> SeenThrough::maker_of(const Side& side, const TracedTensor& input) const {
    std::optional<size_t> maker = input.producer;
    while (maker && ops_.contains(&side.source.ops[side.tensor(*maker).op])) {
        const TracedTensor* given = given_to(side, side.tensor(*maker));
        if (given == nullptr) return maker;
        maker = given->producer;
    }
    return maker;
}

const TracedTensor* given_to(const Side& side, const TracedTensor& output) {
    const std::string& op = side.source.ops[output.op].id.op;
    for (const TracedTensor& each : side.flow.of_op(output.op))
        if (each.direction == dumpfile::Direction::kInput && each.content && output.content &&
            each.content->numel == output.content->numel && !is_overwritten(op, each.argument))
            return &each;
    return nullptr;
}

}  // namespace npuscope::compare
