// What a variance in one pass makes of a norm: the mean of the squares less the squared mean, as
// several chips compute it. Source: Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., section 1.9.
#pragma once

#include <vector>

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// A norm or its gradient, by its name.
[[nodiscard]] bool is_norm(const backend::Op& op);
[[nodiscard]] bool is_gradient_of_norm(const backend::Op& op);

/// By element of the result, the change that the unit makes in it when the squares err by one: of
/// batch, layer and group norm that take their statistics from their input. Empty for other
/// results.
[[nodiscard]] std::vector<double> one_pass_terms(const OpRun& run, const RecordedResult& result);

/// By element of a norm's result, the size of its input and half of the others', as they are
/// scaled: a unit of it is less than disturbing them shows. Of its means, half of the input's size.
/// Empty for other results.
[[nodiscard]] std::vector<double> norm_sizes(const OpRun& run, const RecordedResult& result);

/// By element of a norm's gradient, the terms that cancel where the kernel takes factors of the
/// input and of its mean apart, as several do (g w s + b x + c; the weight's is s (sum g x - mean
/// sum g)), as far as the input is larger than its deviation; of the weight's also what partial
/// sums that cancel leave. Empty for other results.
[[nodiscard]] std::vector<double> folded_terms(const OpRun& run, const RecordedResult& result);

/// By element of a norm's result, what rounding the mean and the deviation to the 16 bits that they
/// are recorded in makes of it, as PyTorch's kernels of group and batch norms do; absolute. Empty
/// where they are not kept in 16 bits.
[[nodiscard]] std::vector<double> rounded_statistics(const OpRun& run,
                                                     const RecordedResult& result);

}  // namespace npuscope::diagnose
