// Runs computed again in float64, for standards that hold results against that.
#include <algorithm>
#include <cmath>

#include "diagnose/judge/exact_outputs.h"
#include "diagnose/judge/golden_replay.h"
#include "diagnose/judge/recorded_op.h"
#include "diagnose/judge/split.h"

namespace npuscope::diagnose {

OpRun RecomputingSplitter::form_of(OpRun run) const {
    std::vector<OpRun> forms = forms_of(std::move(run));
    size_t best = 0;
    if (forms.size() > 1 && target_judge_) {
        const auto common = target_judge_->form_of(*forms.front().op);
        best = common ? *common : target_judge_->judge_best(forms).first;
    }
    return std::move(forms[best]);
}

std::optional<compare::Replay> RecomputingSplitter::replay(compare::PairedFlows& flows) const {
    const auto unit_of = [this](bool multiplies, std::optional<DType> stored) {
        int bits = stored ? format_of(*stored).bits : kFloat32.bits;
        if (target_judge_) {
            bits = target_judge_->fewest_bits_of(multiplies, stored);
            // A product may stand for several ops.
            if (!stored && multiplies)
                bits = std::min(bits, target_judge_->fewest_bits_of(false, stored));
        }
        return std::ldexp(1.0, -bits);
    };
    const auto form_of = [this](OpRun run, bool by_target) {
        std::vector<OpRun> forms = forms_of(std::move(run));
        if (forms.size() == 1) return std::move(forms.front());
        const backend::Op& op = *forms.front().op;
        const auto targets = by_target && target_judge_ ? target_judge_->form_of(op) : std::nullopt;
        return std::move(forms[targets ? *targets : golden_judge().form_of(op).value_or(0)]);
    };
    const double lost = target_judge_ ? target_judge_->lost_of_operands() : 0;
    return replay_golden(flows, {unit_of, form_of, lost}, threads_);
}

compare::ExactRun RecomputingSplitter::exact(const SourceOp& run,
                                             const compare::OpPair* pair,
                                             bool plain) const {
    const auto in_form = [this](OpRun each) { return form_of(std::move(each)); };
    compare::ExactRun found;
    if (!run.calls) {
        add_exact_outputs(
            run, pair != nullptr ? known_inputs(*pair) : KnownInputs{}, plain, in_form, found);
    } else {
        for (const SourceOp& call : calls_of(run, found.why_not))
            add_exact_outputs(call, {}, plain, in_form, found);
    }
    return found;
}

}  // namespace npuscope::diagnose
