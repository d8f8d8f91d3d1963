// Runs computed again in float64, for standards that hold results against that.
#include <algorithm>

#include "diagnose/judge/exact_run.h"
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

void RecomputingSplitter::add_exact(const SourceOp& run,
                                    const KnownInputs& known,
                                    bool plain,
                                    compare::ExactRun& found) const {
    auto loaded = load_run(run, found.why_not, known);
    if (!loaded) return;
    const OpRun form = form_of(std::move(*loaded));
    const Results* exact = exact_results(form);
    if (exact == nullptr) {
        found.why_not = "the op cannot be computed on these inputs";
        return;
    }
    std::optional<Results> rounded;
    if (plain) rounded = diagnose::run(*form.op, form.arguments, Device::reference32());
    for (const RecordedResult& result : form.results) {
        const Tensor* expected = expected_of(*exact, result);
        if (expected == nullptr) continue;
        compare::ExactRun::Output output{
            .argument = result.argument, .exact = *expected, .plain = {}};
        const Tensor* made = rounded ? expected_of(*rounded, result) : nullptr;
        if (made != nullptr) output.plain = made->cast(result.elements.dtype());
        found.outputs.push_back(std::move(output));
    }
}

compare::ExactRun RecomputingSplitter::exact(const SourceOp& run,
                                             const compare::OpPair* pair,
                                             bool plain) const {
    compare::ExactRun found;
    if (!run.calls) {
        add_exact(run, pair != nullptr ? known_inputs(*pair) : KnownInputs{}, plain, found);
    } else {
        for (const SourceOp& call : calls_of(run, found.why_not))
            add_exact(call, {}, plain, found);
    }
    return found;
}

}  // namespace npuscope::diagnose
