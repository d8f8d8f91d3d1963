// The plan of a comparison: pairs by names and order, and by relations where these are asked for.
#pragma once

#include "compare/compare.h"
#include "compare/match.h"

namespace npuscope::compare {

/// make_plan(), then what Options::align says. Errors: those of the mapping file; Error(kUsage)
/// where it has none of the tensors.
[[nodiscard]] Plan related_plan(const Source& target,
                                const Source& golden,
                                const Options& options,
                                bool load_mode = true);

}  // namespace npuscope::compare
