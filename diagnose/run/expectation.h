// How far a run's outputs are from the expected ones, in the terms a user asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/npz/npy.h"

namespace npuscope::diagnose {

/// One output against its expectation.
struct OutputDifference {
    std::string name;
    double max_abs =
        0;  ///< max|output - expected|; infinity when only one side is non-finite somewhere
    double largest = 0;        ///< max|expected| over finite values
    double relative = 0;       ///< max_abs / largest, max_abs where largest is 0
    std::string incomparable;  ///< why it could not be judged (shape), "" otherwise
    bool is_float = true;
};

/// Default tolerance of --expect: relative to the largest expected value.
inline constexpr double kExpectTolerance = 1e-5;

[[nodiscard]] std::vector<OutputDifference> compare_outputs(const NamedTensors& outputs,
                                                            const NamedTensors& expected);

/// Top-1 hits of class scores [samples, classes] against labels [samples].
struct Accuracy {
    int64_t hits = 0;
    int64_t samples = 0;
};
/// Errors: Error(kUsage) when the shapes do not fit. A row with a NaN counts as a miss.
[[nodiscard]] Accuracy top1_accuracy(const Tensor& scores, const Tensor& labels);

/// How many rows of two score tensors choose another class; empty unless both are [samples,
/// classes] alike.
[[nodiscard]] std::optional<int64_t> changed_predictions(const Tensor& scores,
                                                         const Tensor& golden);

}  // namespace npuscope::diagnose
