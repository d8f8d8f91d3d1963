// Terms inside an op that cancel: their rounding errors are left when they are gone, and no
// disturbance of the inputs shows them, because the terms move together. And terms that leave the
// range of numbers.
#pragma once

#include <span>
#include <vector>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// Units that one step of an elementary function may be off (CUDA's and vector libraries' float32
/// functions keep 4 ulp, that is 8 units), and so each of the terms.
inline constexpr double kFunction = 8;

/// By element of the result, the magnitude of the terms; empty for ops without such terms.
[[nodiscard]] std::vector<double> hidden_terms(const OpRun& run, const RecordedResult& result);

/// The terms are functions, which libraries compute to a few ulp. Recorded: gelu of a CPU with
/// AVX-512, whose erf is off by 4 ulp.
[[nodiscard]] bool are_functions(const OpRun& run);

/// Where e^-x leaves the range of the steps (in float16 below -11.09), 1 / (1 + e^-x) is 0, or
/// 1 / (1 + the largest number) where steps saturate: there a result that is made of it may be off
/// by as many times as that is larger.
void allow_out_of_range(const OpRun& run,
                        const NumberFormat& steps,
                        std::span<const double> exact,
                        AllowedErrors& limits);

}  // namespace npuscope::diagnose
