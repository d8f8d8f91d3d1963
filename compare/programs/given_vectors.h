// Vectors that nobody computed (biases, weights of norms) among what ops take in.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

struct Plan;

/// Elements of each that ops of one side take in.
[[nodiscard]] std::vector<int64_t> given_vectors(const Side& side,
                                                 const std::vector<const SourceOp*>& ops);

/// Whether these ops of the golden, in the place of these of the target, take in a vector whose
/// gradient the golden alone makes behind them: a bias that the target leaves out, however little
/// comes of it.
[[nodiscard]] bool lacks_bias(const Plan& plan,
                              const PairedFlows& flows,
                              const std::vector<const SourceOp*>& target,
                              const std::vector<const SourceOp*>& golden);

}  // namespace npuscope::compare
