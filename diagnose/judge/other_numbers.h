// An op run with the numbers that another run was called with.
#pragma once

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// `to` gets the arguments of `from` that are no tensors in place of its own; of another name of
/// the op, those that both have.
void take_numbers(const OpRun& from, OpRun& to);

}  // namespace npuscope::diagnose
