// From two comparisons and two overflow watches to one finding per op.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "core/dumpfile/reader.h"
#include "diagnose/check_report.h"
#include "overflow/watcher.h"

namespace npuscope::diagnose {

struct Evidence {
    const dumpfile::Reader& golden;
    const dumpfile::Reader& free_dump;
    const dumpfile::Reader& isolated_dump;
    const compare::Result& isolated;  ///< isolated run against golden
    const compare::Result& free_run;  ///< free run against golden
    const overflow::OverflowReport& free_overflow;
    const overflow::OverflowReport& isolated_overflow;
};

/// One finding per op of the free run and per golden op that it lacks, by seqid.
[[nodiscard]] std::vector<OpFinding> collect_findings(const Evidence& evidence);

}  // namespace npuscope::diagnose
