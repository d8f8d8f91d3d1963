// Vectors that nobody computed (biases, weights of norms) among what ops take in.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/align/parting.h"
#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Elements of each that ops of one side take in.
[[nodiscard]] std::vector<int64_t> given_vectors(const Side& side,
                                                 const std::vector<const SourceOp*>& ops);

/// Whether the golden's ops of a parting alone take in a vector whose gradient a parting of the
/// golden alone makes: a bias that the target leaves out, however small.
[[nodiscard]] bool lacks_bias(const PairedFlows& flows,
                              const Parting& parting,
                              const std::vector<Parting>& others);

}  // namespace npuscope::compare
