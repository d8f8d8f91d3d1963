// What is known of runs that a target's recording tells in part: what they took in, how their
// results lie, what they were stored in.
#include "compare/growth/bits_in_use.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

using compare::OpPair;

KnownInputs RecomputingSplitter::known_inputs(const OpPair& pair) const {
    KnownInputs known{.golden = pair.golden};
    const auto place = places_.find(&pair);
    if (rebuilder_ && place != places_.end())
        known.tensors = [this, index = place->second] {
            const std::lock_guard guard(rebuilding_);
            return rebuilder_->inputs_of(index);
        };
    if (!rebuilder_ && !load_mode_) known.golden = nullptr;
    for (const compare::TensorTie& tie : pair.ties)
        if (known.golden != nullptr && tie.target_view && !tie.golden_view &&
            tie.more_target.empty())
            known.views.emplace(tie.target.path, *tie.target_view);
    return known;
}

ComputeType RecomputingSplitter::computed_like(const SourceOp& op,
                                               const SourceTensor& result) const {
    const auto dtype = dtype_from_name(result.dtype);
    if (!dtype || !is_float(*dtype)) return ComputeType::kNone;
    // What holds more bits was no bfloat16 before it was stored.
    const bool was_narrow = op.stores_wider && result.open &&
                            compare::bits_in_use(*result.open()) <= compare::kBitsOfBFloat16;
    return was_narrow ? ComputeType::kBFloat16 : target_judge_->narrowest_of(*dtype);
}

}  // namespace npuscope::diagnose
