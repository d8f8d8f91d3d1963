// Nodes of PyTorch's automatic differentiation that were recorded whole, as runs of our ops: the
// original dumper writes one record for all that a node's formula calls.
#pragma once

#include "core/recording/source.h"

namespace npuscope::diagnose {

/// Gives each record in `source` of a node in diagnose/apis/autograd_nodes.def that holds the
/// gradients it was given its calls. Nothing is read until they are asked for.
void describe_nodes(Source& source);

}  // namespace npuscope::diagnose
