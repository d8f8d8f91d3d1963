// An op run with the numbers that another run was called with.
#pragma once

#include "diagnose/judge/op_run.h"

namespace npuscope::diagnose {

/// `to` gets the arguments of `from` that are no tensors in place of its own; of another name of
/// the op, those that both have. A `dim` that names the same axes of the same elements in another
/// shape is kept.
void take_numbers(const OpRun& from, OpRun& to);

/// Whether a number that the golden took in is one of a program's text (at most four digits: 1e-05,
/// -10000), and the target's is another: neither equal in float32 nor rounded to 16 bits. What a
/// program computes has more digits, and may be off as its tensors are.
[[nodiscard]] bool has_other_constant(const OpRun& target, const OpRun& golden);

/// Whether the exact results of two runs, which differ in their numbers alone, are further apart
/// than float32 arithmetic makes anything: a chip's own errors may be larger, but the programs
/// differ.
[[nodiscard]] bool numbers_change_results(const OpRun& one, const OpRun& other);

/// Whether a batch norm in training writes other running statistics with the golden's numbers: of
/// its results, which do not depend on them, no recorder keeps these.
[[nodiscard]] bool writes_other_statistics(const OpRun& target, const OpRun& golden);

}  // namespace npuscope::diagnose
