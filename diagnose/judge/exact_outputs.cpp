#include "diagnose/judge/exact_outputs.h"

#include "diagnose/judge/exact_run.h"

namespace npuscope::diagnose {

void add_exact_outputs(const SourceOp& run,
                       const KnownInputs& known,
                       bool plain,
                       const std::function<OpRun(OpRun)>& form_of,
                       compare::ExactRun& found) {
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
    require_intact(form);
}

}  // namespace npuscope::diagnose
