// Nodes of PyTorch's automatic differentiation that were recorded whole, as runs of our ops: the
// original dumper writes one record for all that a node's formula calls.
#pragma once

#include <string_view>

#include "core/recording/source.h"

namespace npuscope::diagnose {

/// By diagnose/apis/autograd_nodes.def.
[[nodiscard]] bool is_autograd_node(std::string_view name);

/// Gives each such record in `source` that holds the gradients it was given its calls. Nothing is
/// read until they are asked for.
void describe_nodes(Source& source);

}  // namespace npuscope::diagnose
