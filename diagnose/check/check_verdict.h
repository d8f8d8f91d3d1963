// The verdict of a check, from what its three runs and two comparisons showed.
#pragma once

#include "core/dumpfile/reader.h"
#include "diagnose/check/check_report.h"

namespace npuscope::diagnose {

/// Fills counts, first culprit, worst, verdict, headline, why, next and remarks from `ops`,
/// `outputs`, `given`, `program` and `bad_inputs`.
///
/// fail       an op adds more than its arithmetic may, on the golden's inputs or in the free run,
/// or
///            overflows; the model was given NaN, or other weights or inputs than the golden
/// undecided  none of these, but fewer than half of the ops, or no output, could be judged
/// fail       the free run has other ops than the golden, or an op was not given what the op before
///            it made
/// pass       the rest: however far the outputs are off, each op on the way is honest
///
/// The first that applies.
///
/// `kept`: the dumps stay after the check, and `next` may name them.
void conclude(CheckReport& report, const dumpfile::Reader& golden, bool kept);

}  // namespace npuscope::diagnose
