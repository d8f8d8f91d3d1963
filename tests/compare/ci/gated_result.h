// The small comparison with a waiver of each fate and a baseline, and a run that was not compared.
#pragma once

#include <string>

#include "compare/ci/ci_report.h"
#include "compare/gate/baseline.h"
#include "compare/gate/waivers.h"
#include "tests/compare/report/small_result.h"

namespace npuscope::compare {

inline std::string ci_text(const CiReport& report) {
    Result result = small_result();
    const Waivers waivers(
        R"({"waivers": [
            {"op": "^/odd", "reason": "odd <name>", "owner": "kim", "expires": "2030-01-01"},
            {"op": "^/nothing/", "reason": "gone | left", "owner": "kim", "expires": "2030-01-01"},
            {"op": "^/zeros/", "reason": "late", "owner": "lee", "expires": "2020-01-01"}]})",
        "waivers.json",
        "2026-06-15");
    Result before = result;
    // The first culprit is new, and another one is gone.
    before.culprits.erase(before.culprits.begin());
    Culprit gone = before.culprits.front();
    gone.argument = "eps";
    before.culprits.push_back(gone);
    const Baseline baseline(report_named("json").write(before, {}), "old.json");
    result.gate = gate_of(result, &waivers, &baseline);
    const char* time = "2026-06-15T01:02:03";
    return report.whole(
        {report.part({.name = "step 0", .result = &result, .target = "npu dump.h5", .time = time}),
         report.part({.name = "step 1",
                      .problem = "cannot read \x01 & <it>",
                      .target = "npu dump.h5",
                      .time = time})});
}

}  // namespace npuscope::compare
