// A recorded run on inputs that are off by a unit: how its results depend on them, and what float32
// steps make of them.
#pragma once

#include <optional>
#include <vector>

#include "diagnose/judge/number_format.h"
#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// Errors by element, and their root mean square.
struct Spread {
    std::vector<double> errors;
    double rms = 0;
};

/// Borrows the run. What it computes is kept for the next question of the same steps. Threads: one.
class DisturbedRuns {
  public:
    explicit DisturbedRuns(const OpRun& run) : run_(run) {}

    /// The op on disturbed inputs, exactly and in float32 steps.
    struct Draw {
        unsigned number = 0;
        Results exact;
        Results stepped;
    };
    /// Inputs off by a unit of `steps`, in float64 where these are float64 steps.
    [[nodiscard]] const std::vector<Draw>& draws(const NumberFormat& steps);

    /// What the draw of that number is given.
    [[nodiscard]] NamedValues inputs(const NumberFormat& steps, unsigned draw);

    /// Each element of the results depends on the like elements of the operands only.
    [[nodiscard]] bool is_elementwise();

    /// The largest |f(disturbed) - f(inputs)|; `exact` is f(inputs).
    [[nodiscard]] Spread conditioning(const NumberFormat& steps,
                                      const RecordedResult& result,
                                      const Tensor& exact);
    /// The largest |float32 steps - f| of the disturbed inputs.
    [[nodiscard]] Spread steps(const NumberFormat& steps, const RecordedResult& result);

  private:
    const OpRun& run_;
    std::optional<bool> elementwise_;
    int drawn_bits_ = 0;
    std::vector<Draw> draws_;
};

/// Float tensors, and dtypes asked for, as `dtype`.
[[nodiscard]] NamedValues with_floats_as(NamedValues arguments, DType dtype);

}  // namespace npuscope::diagnose
