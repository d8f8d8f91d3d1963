// What a tensor says of having been changed where it lay, between two ops.
#pragma once

#include "compare/dataflow/relation.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// How a tensor that an op was given holds what another made. A loss scale is no change: kEqual.
/// Both hold as many elements. Errors and memory: as of relation_of.
[[nodiscard]] Relation relation_in_memory(const Tensor& given, const Tensor& made);

/// Whether that tells by itself that the one was made out of the other: some elements, a factor or
/// the order differ.
[[nodiscard]] bool is_changed_in_memory(const Relation& relation);

}  // namespace npuscope::compare
