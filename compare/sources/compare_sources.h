// Two sources of any kinds compared: ops by their names, tensors by direction and argument.
#pragma once

#include "compare/compare.h"
#include "compare/sources/source.h"

namespace npuscope::compare {

/// Names are equal when they are after everything but letters and digits was taken for the same
/// separator; a lone op on both sides is compared whatever the names. Tensors without a partner of
/// the same argument are paired in their order. Where a side has only statistics (max, min, mean,
/// norm), those that both have are compared.
[[nodiscard]] Result compare_sources(const Source& target,
                                     const Source& golden,
                                     const Bounds& bounds = PrecisionBounds{},
                                     const Options& options = {});

}  // namespace npuscope::compare
