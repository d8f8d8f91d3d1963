// Ops of one side told as another way to compute the same.
#pragma once

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "compare/align/parting.h"
#include "compare/compare.h"

namespace npuscope::compare {

/// Makes a parting a span: its ops are marked. `entry` and `exit` as SpanResult has them, `places`
/// are indices into Result::ops.
void mark_span(const Parting& parting,
               double entry,
               std::optional<double> exit,
               const std::unordered_map<const SourceOp*, size_t>& places,
               Result& result);

}  // namespace npuscope::compare
