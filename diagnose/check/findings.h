// From two comparisons and two overflow watches to one finding per op.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "core/dumpfile/reader.h"
#include "diagnose/check/check_report.h"
#include "overflow/watcher.h"

namespace npuscope::diagnose {

struct Evidence {
    const dumpfile::Reader& free_dump;
    const compare::Result& free_run;  ///< against golden, with what its ops introduced
    compare::Result isolated;  ///< the same of the run on the golden's inputs; its tensors move
                               ///< into the findings
    const overflow::OverflowReport& free_overflow;
    const overflow::OverflowReport& isolated_overflow;
};

/// One finding per op of the free run and per golden op that it lacks, by seqid.
[[nodiscard]] std::vector<OpFinding> collect_findings(Evidence evidence);

}  // namespace npuscope::diagnose
