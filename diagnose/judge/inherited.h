// What an op makes of each side's inputs: how far apart that is came in with them.
#pragma once

#include <optional>

#include "core/recording/source.h"
#include "diagnose/judge/op_run.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

/// f(inputs) in float64 where that is computed already or is little work, else in float32:
/// inherited errors are told by a few digits. Empty where the op does not take these arguments.
[[nodiscard]] std::optional<Results> results_to_compare(const OpRun& run);

/// Where in `run` the result is that a source calls so; -1 without one.
[[nodiscard]] int place_of(const OpRun& run, const SourceTensor* tensor);

/// max|one - other| / max|other|, without what one of them alone is padded with. Empty where they
/// have not as many elements.
[[nodiscard]] std::optional<double> relative_difference(const Tensor& one, const Tensor& other);

}  // namespace npuscope::diagnose
