// What pictures of two tensors are drawn from: histograms, errors by pairs of axes, the worst
// elements.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "core/tensor/element_source.h"

namespace npuscope::page {

/// Of two tensors of the same numel and real dtypes, read in pieces, three times. `values`: counts
/// of both sides in 64 bins of one width; `errors`: counts of log10|t - g| where it is not 0;
/// `axes`: of each axis the indices with the largest shares of sum|t - g|; `maps`: the largest
/// |t - g| by two axes in at most 32 x 48 cells, null where one side alone is not finite; `worst`:
/// the ten largest. Errors: those of the sources.
[[nodiscard]] nlohmann::ordered_json pictures_of(const ElementSource& target,
                                                 const ElementSource& golden);

}  // namespace npuscope::page
