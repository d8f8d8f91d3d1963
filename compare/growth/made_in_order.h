// Results in the order in which they were made, and how far off what was made before them is.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "compare/growth/measured_runs.h"

namespace npuscope::compare {

/// Measured, and of a floating-point format.
[[nodiscard]] bool is_float_result(const TensorResult& tensor);

/// Whether it fails by the tolerance of its dtype alone.
[[nodiscard]] bool is_beyond_its_tolerance(const TensorResult& tensor);

/// The float results of a recording of results alone, with what came in unknown: `before` is the
/// worst of what was made before it and goes on in what was made next, `like` what results of its
/// name add, whatever their numbers: "blocks.0.q" and "blocks.1.q"; in result_order(). Ops that
/// round their operands, products, are told by their names: others are not excused by rounding to
/// 11 bits, nor are products where the first results show that nothing is. `bits` are those of
/// either side's results. Borrows `result`.
[[nodiscard]] std::vector<MeasuredRun> made_in_order(Result& result, int bits);

}  // namespace npuscope::compare
