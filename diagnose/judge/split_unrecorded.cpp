// What is known of runs that a target's recording tells in part: what they took in, how their
// results lie, what they were stored in.
#include <algorithm>
#include <cmath>

#include "compare/growth/bits_in_use.h"
#include "core/naming/casts.h"
#include "diagnose/judge/inherited.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

using compare::OpPair;

namespace {

/// A result that is so many times nearer to the golden's than what it was made of is made of
/// something else.
constexpr double kSurelyNearer = 16;

/// Two steps of an optimizer that steps by the sign of a gradient end so many steps apart.
constexpr double kStepsApart = 2.2;

/// How far a step takes a result: its elements on the average where each is made of several.
double length_of_step(const Tensor& one, const Tensor& other, bool on_average) {
    double squares = 0;
    double largest = 0;
    for (int64_t i = 0; i < one.numel(); ++i) {
        const double off = std::abs(one.at(i) - other.at(i));
        squares += off * off;
        largest = std::max(largest, off);
    }
    return on_average ? std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, one.numel())))
                      : largest;
}

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

void RecomputingSplitter::doubt_moved(const OpPair& pair,
                                      const OpRun& target,
                                      const std::vector<compare::SplitQuery>& outputs,
                                      std::vector<compare::Split>& splits) const {
    const auto place = places_.find(&pair);
    const auto is_wrong = [](const compare::Split& split) {
        return split.target && split.target->ratio > 1 && split.target->worst.size() > 0;
    };
    if (place == places_.end() || std::ranges::none_of(splits, is_wrong)) return;
    KnownInputs before = inputs_by_golden(pair);
    std::vector<compare::RebuiltInput> inputs;
    {
        const std::lock_guard guard(rebuilding_);
        inputs = rebuilder_->inputs_before_step(place->second);
    }
    if (inputs.empty()) return;
    before.tensors = [&] { return inputs; };
    std::string why_not;
    const auto run = load_run(*pair.target, why_not, before);
    if (!run) return;
    const auto exact = results_to_compare(target);
    const auto exact_before = results_to_compare(*run);
    for (size_t i = 0; i < outputs.size(); ++i) {
        const int result = place_of(target, outputs[i].target);
        if (!is_wrong(splits[i]) || result < 0 || !exact || !exact_before) continue;
        const RecordedResult& recorded = target.results[static_cast<size_t>(result)];
        const Tensor* now = expected_of(*exact, recorded);
        const Tensor* then = expected_of(*exact_before, recorded);
        if (now == nullptr || then == nullptr || now->shape() != then->shape()) continue;
        const double step = kStepsApart * length_of_step(*now, *then, !is_cast(pair.target->op()));
        if (std::ranges::any_of(splits[i].target->worst, [&](const compare::ErrorElement& each) {
                return !(std::abs(each.recorded - each.expected) <= each.allowed + step);
            }))
            continue;
        splits[i].target.reset();
        splits[i].why_not = "a step of training that is not recorded moved what it takes in";
    }
}

}  // namespace npuscope::diagnose
