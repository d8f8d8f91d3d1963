// What honest arithmetic makes of an op that is no product.
#pragma once

#include <optional>
#include <vector>

#include "compare/split.h"
#include "diagnose/judge/arithmetic.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/result_error.h"

namespace npuscope::diagnose {

/// Holds one run's results against the classes. With u the unit of the steps, an element may be off
/// by a few u |y|; where that does not do, also by what disturbing the inputs by u makes of it
/// (conditioning), and by what float32 steps here make of it, scaled to u (cancellation inside the
/// op). Integer results must be equal. Borrows the run. Threads: one.
class VectorError {
  public:
    explicit VectorError(const OpRun& run) : run_(run) {}

    [[nodiscard]] std::optional<compare::Introduced> judge(const VectorClass& by,
                                                           const RecordedResult& result,
                                                           bool details);
    /// The largest ratio over the results.
    [[nodiscard]] std::optional<double> ratio(const VectorClass& by) {
        return worst_ratio(run_, *this, by);
    }

  private:
    /// Errors by element, and their root mean square.
    struct Spread {
        std::vector<double> errors;
        double rms = 0;
    };

    /// Integers and bools, element by element.
    [[nodiscard]] compare::Introduced judge_whole(const VectorClass& by,
                                                  const RecordedResult& result,
                                                  const Tensor& exact,
                                                  bool details) const;
    /// Each element of the results depends on the like elements of the operands only.
    [[nodiscard]] bool is_elementwise();
    /// The op on disturbed inputs, exactly and in float32 steps.
    struct Draw {
        Results exact;
        Results stepped;
    };
    [[nodiscard]] const std::vector<Draw>& draws(const NumberFormat& steps);
    [[nodiscard]] Spread conditioning(const VectorClass& by,
                                      const RecordedResult& result,
                                      const Tensor& exact);
    [[nodiscard]] Spread steps(const VectorClass& by, const RecordedResult& result);
    [[nodiscard]] std::vector<double> sum_errors(const RecordedResult& result);

    const OpRun& run_;
    std::optional<std::optional<Results>> sizes_;
    std::optional<bool> elementwise_;
    int drawn_bits_ = 0;
    std::vector<Draw> draws_;
};

}  // namespace npuscope::diagnose
