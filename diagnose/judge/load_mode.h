// Whether the ops of a recording without inputs were given the golden's.
#pragma once

#include "compare/dataflow/paired_flows.h"

namespace npuscope::diagnose {

/// Ops that only move elements tell it, where those of the two sides differ. Where none does, some
/// ops are computed on the golden's inputs and on those that the target's own earlier ops made:
/// what is recorded is nearer to the former. `threads` 0: all cores. Errors: as the sources'
/// when a file cannot be read.
[[nodiscard]] bool were_inputs_loaded(compare::PairedFlows& flows, int threads);

}  // namespace npuscope::diagnose
