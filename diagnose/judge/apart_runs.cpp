#include "diagnose/judge/apart_runs.h"

#include <algorithm>
#include <cmath>

namespace npuscope::diagnose {

std::optional<size_t> column_of_steps(DType format) {
    const auto bits = format == DType::kBFloat16  ? kBFloat16.bits
                      : format == DType::kFloat16 ? kFloat16.bits
                                                  : 0;
    const auto classes = vector_classes();
    const auto row =
        std::ranges::find_if(classes, [&](const VectorClass& by) { return by.steps.bits == bits; });
    if (row == classes.end()) return std::nullopt;
    return static_cast<size_t>(row - classes.begin());
}

void try_all(SampledRun& run, size_t column) {
    if (!std::isinf(run.ratios[column])) return;
    if (auto more = sampled_run(*run.op, Tried::kAll, {true, true})) run.ratios = more->ratios;
}

bool are_within(const ApartRuns& runs, size_t column) {
    return std::ranges::all_of(runs, [&](SampledRun* run) {
        try_all(*run, column);
        return run->ratios[column] <= 1;
    });
}

InferredArithmetic vector_class(size_t column, int64_t sampled, int64_t within) {
    return {.vector = &vector_classes()[column], .sampled = sampled, .within = within};
}

}  // namespace npuscope::diagnose
