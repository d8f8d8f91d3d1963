#include "diagnose/judge/apart_runs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

#include "diagnose/judge/written_steps.h"

namespace npuscope::diagnose {

namespace {

bool are_written(const ApartRuns& runs, size_t column, const NumberFormat& steps) {
    bool any = false;
    for (const SampledRun* sampled : runs) {
        const bool is_beyond = sampled->ratios[column] > 1;
        if (!sampled->shows_steps && (!is_beyond || any)) continue;
        std::string why_not;
        const auto run = load_run(*sampled->op->op, why_not, sampled->op->inputs);
        if (!run) return false;
        if (is_beyond && is_made_in_written_steps(*run, steps))
            any = true;
        else if (sampled->shows_steps && !may_be_made_in_written_steps(*run, steps))
            return false;
    }
    return any;
}

}  // namespace

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

bool is_gradient(const SampledRun& run) {
    return run.op->op->op().find("_backward") != std::string::npos;
}

std::optional<InferredArithmetic> written_apart(std::string_view op,
                                                const ApartRuns& runs,
                                                size_t column,
                                                size_t narrow) {
    if (!has_written_steps(op)) return std::nullopt;
    ApartRuns forward;
    std::ranges::copy_if(runs, std::back_inserter(forward), [](const SampledRun* run) {
        return !is_gradient(*run);
    });
    if (!are_written(forward, column, vector_classes()[narrow].steps) ||
        !are_within(forward, narrow))
        return std::nullopt;
    const auto count = static_cast<int64_t>(forward.size());
    return vector_class(narrow, count, count);
}

InferredArithmetic vector_class(size_t column, int64_t sampled, int64_t within) {
    return {.vector = &vector_classes()[column], .sampled = sampled, .within = within};
}

}  // namespace npuscope::diagnose
