// Two small recordings, written as dumps and compared as the command does: each op computed again.
#pragma once

#include <vector>

#include "compare/compare.h"
#include "core/dumpfile/reader.h"
#include "diagnose/judge/split.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"

namespace npuscope::test {

inline compare::Result held_against(const std::vector<compare::DumpedOp>& target,
                                    const std::vector<compare::DumpedOp>& golden) {
    const TempDir folder;
    compare::write_dump(folder / "t.h5", target);
    compare::write_dump(folder / "g.h5", golden, dumpfile::kDeviceCpu);
    diagnose::RecomputingSplitter splitter;
    compare::Options options;
    options.splitter = &splitter;
    return compare::compare_dumps(dumpfile::Reader(folder / "t.h5"),
                                  dumpfile::Reader(folder / "g.h5"),
                                  compare::PrecisionBounds(),
                                  options);
}

}  // namespace npuscope::test
