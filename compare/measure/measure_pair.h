// One tensor of an op on both sides, measured and judged by how far it is apart.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// What a side lacks is missing; what cannot be read is incomparable; without elements, by
/// statistics. Errors: Error(kIo) when the process of the custom algorithms breaks. Threads: any.
[[nodiscard]] TensorResult measure_pair(const TensorPair& pair,
                                        const Bounds& bounds,
                                        const Options& options);

}  // namespace npuscope::compare
