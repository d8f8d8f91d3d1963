// What is known of runs that a target's recording tells in part: what they took in, how their
// results lie, what they were stored in.
#include <algorithm>

#include "compare/growth/bits_in_use.h"
#include "diagnose/judge/inherited.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

using compare::OpPair;

namespace {

/// A result that is so many times nearer to the golden's than what it was made of is made of
/// something else.
constexpr double kSurelyNearer = 16;

bool gives_16_bits(const SourceOp& op) {
    return std::ranges::any_of(op.load(), [](const SourceTensor& tensor) {
        return tensor.direction == dumpfile::Direction::kOutput && tensor.open &&
               compare::bits_in_use(*tensor.open()) <= compare::kBitsOfFloat16;
    });
}

}  // namespace

KnownInputs RecomputingSplitter::known_inputs(const OpPair& pair) const {
    return pair.by_end ? KnownInputs{} : inputs_by_golden(pair);
}

KnownInputs RecomputingSplitter::inputs_by_golden(const OpPair& pair) const {
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

std::optional<OpRun> RecomputingSplitter::load_target(const OpPair& pair,
                                                      std::string& why_not) const {
    // What rounds each of its steps to 16 bits is farther off than what rounds once.
    if (!pair.by_end || !rebuilder_ || !pair.also_golden.empty() ||
        (!pair.also_target.empty() && gives_16_bits(*pair.target)))
        return load_run(*pair.target, why_not, known_inputs(pair), false, false);
    // Whatever the target's ops are, the golden's makes what they should end in.
    SourceOp run = *pair.target;
    run.computes = pair.golden->op();
    return load_run(run, why_not, inputs_by_golden(pair), false, false);
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

void RecomputingSplitter::doubt_rebuilt(const OpRun& target,
                                        const OpRun& golden,
                                        const std::vector<compare::SplitQuery>& outputs,
                                        std::vector<compare::Split>& splits) {
    for (size_t i = 0; i < outputs.size(); ++i) {
        compare::Split& split = splits[i];
        if (!split.target || split.target->ratio <= 1 || !split.inherited) continue;
        const int ours = place_of(target, outputs[i].target);
        const int theirs = place_of(golden, outputs[i].golden);
        if (ours < 0 || theirs < 0) continue;
        const auto off = relative_difference(target.results[static_cast<size_t>(ours)].elements,
                                             golden.results[static_cast<size_t>(theirs)].elements);
        if (!off || *off * kSurelyNearer > *split.inherited) continue;
        split.target.reset();
        split.why_not = "it is nearer to the golden's than what the golden's ops make it of";
    }
}

}  // namespace npuscope::diagnose
