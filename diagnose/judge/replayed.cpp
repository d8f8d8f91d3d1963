#include "diagnose/judge/replayed.h"

namespace npuscope::diagnose {

std::optional<Replayed> passed_on(const compare::Side& golden,
                                  size_t result,
                                  const ReplayInputs& inputs) {
    const compare::TracedTensor& made = golden.tensor(result);
    for (const compare::TracedTensor& each : golden.flow.of_op(made.op)) {
        if (each.direction != dumpfile::Direction::kInput || !each.content ||
            !compare::same_content(*each.content, *made.content))
            continue;
        for (size_t i = 0; i < inputs.plain.size(); ++i)
            if (inputs.plain[i].golden == each.path)
                return Replayed{inputs.plain[i].tensor->reshaped(made.shape),
                                inputs.disturbed[i].tensor->reshaped(made.shape)};
    }
    return std::nullopt;
}

}  // namespace npuscope::diagnose
