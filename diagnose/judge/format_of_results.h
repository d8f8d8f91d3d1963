// In how many bits of significand the results of a group of ops are.
#pragma once

#include <cstdint>
#include <vector>

#include "diagnose/judge/class_inference.h"

namespace npuscope::diagnose {

/// Groups of fewer runs are told by their like as well.
inline constexpr int64_t kFewestOfKind = 10;

/// Whether it has numbers enough.
[[nodiscard]] bool tells_format(const SampledRun& run);

/// Of the format that the results of nearly all runs are in; 0 without one that is narrow.
[[nodiscard]] int bits_of_results(const ArithmeticSamples& samples, const ArithmeticGroup& group);

/// Bits that the results of nearly all runs need at least: no class of fewer gave them, whatever
/// one run that is at fault may look like. Of few runs all must tell; 0 where one alone does.
[[nodiscard]] int least_bits(const std::vector<SampledRun>& sample);

}  // namespace npuscope::diagnose
