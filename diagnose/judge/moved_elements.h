// Ops that move elements, choose them or cast them, and compute nothing.
#pragma once

#include <span>
#include <string_view>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// Of a launched kernel: it moves or chooses elements, or rounds them once.
[[nodiscard]] bool moves(std::string_view launched);
/// All that the op launches does.
[[nodiscard]] bool only_moves(const backend::Op& op);

/// Elements that were moved are what they were. What neither `results` nor the recorded format
/// holds is rounded to nearest, or all of it cut off; subnormal numbers of as
/// many exponents as float32's may become 0, and all that a cast makes.
[[nodiscard]] AllowedErrors allowed_of_moves(const OpRun& run,
                                             const RecordedResult& result,
                                             std::span<const double> exact,
                                             const NumberFormat& results);

}  // namespace npuscope::diagnose
