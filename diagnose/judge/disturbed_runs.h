// A recorded run on inputs that are off by a unit: how its results depend on them, and what float32
// steps make of them.
#pragma once

#include <map>
#include <optional>
#include <string>
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
    /// Of an op whose results are known to come element by element.
    void set_elementwise() { elementwise_ = true; }

    static constexpr unsigned kDraws = 4;

    /// What the draw of that number is given.
    [[nodiscard]] NamedValues inputs(const NumberFormat& steps, unsigned draw);

    /// Each element of the results depends on the like elements of the operands only.
    [[nodiscard]] bool is_elementwise();

    /// Of one result, over all draws, by element.
    struct Errors {
        Spread conditioning;  ///< the largest |f(disturbed) - f(inputs)|
        Spread steps;         ///< the largest |float32 steps - f| of the disturbed inputs
    };
    /// Errors::conditioning of an elementwise op, from as few draws as show it to first order.
    [[nodiscard]] Spread conditioning(const NumberFormat& steps, const RecordedResult& result);
    /// In float64 steps where `steps` are. Of results that are no floats: without elements.
    [[nodiscard]] const Errors& errors(const NumberFormat& steps, const RecordedResult& result);

  private:
    /// Whether errors_ are of finer steps, from which those of coarser ones follow to first order:
    /// a program of many products costs more to draw than that is worth.
    [[nodiscard]] bool may_be_scaled(const NumberFormat& steps) const;
    void scale_to(const NumberFormat& steps);

    const OpRun& run_;
    std::optional<bool> elementwise_;
    NumberFormat drawn_{.bits = 0};         ///< of errors_
    std::map<std::string, Errors> errors_;  ///< by the result's name
};

/// Float tensors, and dtypes asked for, as `dtype`.
[[nodiscard]] NamedValues with_floats_as(NamedValues arguments, DType dtype);

}  // namespace npuscope::diagnose
