#include "diagnose/judge/inherited.h"

#include <algorithm>

#include "core/tensor/difference.h"
#include "core/tensor/padding.h"
#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/part_of_run.h"

namespace npuscope::diagnose {

std::optional<Results> results_to_compare(const OpRun& run) {
    if (!run.exact && is_large(run))
        return diagnose::run(
            *run.op, with_floats_as(run.wide, DType::kFloat32), Device::reference32());
    const Results* exact = exact_results(run);
    return exact == nullptr ? std::nullopt : std::optional(*exact);
}

int place_of(const OpRun& run, const SourceTensor* tensor) {
    if (tensor == nullptr) return -1;
    const auto found = std::ranges::find_if(run.results, [&](const RecordedResult& result) {
        return result.argument == tensor->argument;
    });
    return found == run.results.end() ? -1 : static_cast<int>(found - run.results.begin());
}

std::optional<double> relative_difference(const Tensor& one, const Tensor& other) {
    if (const auto inside = without_padding(one, other.shape()))
        return difference(*inside, other).relative();
    if (const auto inside = without_padding(other, one.shape()))
        return difference(one, *inside).relative();
    if (one.numel() != other.numel()) return std::nullopt;
    return difference(one, other.reshaped(one.shape())).relative();
}

}  // namespace npuscope::diagnose
