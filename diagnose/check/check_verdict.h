// The verdict of a check, from what its three runs and two comparisons showed.
#pragma once

#include "core/dumpfile/reader.h"
#include "diagnose/check/check_report.h"

namespace npuscope::diagnose {

/// Fills counts, first culprit, worst, verdict, headline, why, next and remarks from `ops`,
/// `outputs`, `given` and `bad_inputs`.
///
/// fail       an op is over its tolerance or overflows on the golden's inputs; the model was given
///            NaN, or other weights or inputs than the golden
/// undecided  none of these, but fewer than half of the ops, or no output, could be judged
/// fail       an output is further off than the errors that the ops add explain
/// pass       the rest
///
/// The first that applies.
///
/// `kept`: the dumps stay after the check, and `next` may name them.
void conclude(CheckReport& report, const dumpfile::Reader& golden, bool kept);

}  // namespace npuscope::diagnose
