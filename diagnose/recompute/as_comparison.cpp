#include <algorithm>

#include "compare/count.h"
#include "diagnose/recompute/recompute.h"

namespace npuscope::diagnose {

compare::Result as_comparison(const RecomputeReport& report) {
    compare::Result result;
    for (const RecomputedOp& op : report.ops) {
        compare::OpResult made;
        made.target = made.golden = op.path;
        made.node = op.place.node;
        made.module = op.place.module;
        made.line = op.place.line;
        made.id = op.id;
        made.tensors = op.results;
        made.standard = op.standard;
        const auto failing = std::ranges::find_if(op.results, [](const auto& tensor) {
            return compare::is_finding(tensor.judgement.verdict);
        });
        if (failing != op.results.end()) {
            made.judgement = failing->judgement;
            result.culprits.push_back({.kind = compare::CulpritKind::kOp,
                                       .op = result.ops.size(),
                                       .why = failing->argument + ": " + failing->judgement.rule});
        } else if (!op.results.empty()) {
            made.judgement = {compare::Verdict::kPass, op.results.front().judgement.rule};
        } else {
            made.judgement = {compare::Verdict::kUndefined,
                              op.skipped.empty() ? "no result was recorded" : op.skipped};
        }
        result.ops.push_back(std::move(made));
    }
    count(result);
    result.standard = report.standard;
    return result;
}

}  // namespace npuscope::diagnose
