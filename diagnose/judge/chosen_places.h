// Results that are places of elements: max_pool2d_with_indices, argmax, sort, topk.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// Whether the recorded places hold elements that are equal, up to rounding in `steps`, to those of
/// the exact places: ties that honest arithmetic breaks otherwise. Empty where the result is no
/// place along a dimension or in a plane.
[[nodiscard]] std::optional<bool> are_ties(const OpRun& run,
                                           const RecordedResult& result,
                                           const Tensor& exact,
                                           const NumberFormat& steps);

}  // namespace npuscope::diagnose
