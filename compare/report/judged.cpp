#include "compare/report/judged.h"

#include "compare/report/report.h"

namespace npuscope::compare {

namespace {

bool is_unjudged(Verdict verdict) {
    return verdict == Verdict::kUndefined || verdict == Verdict::kNotProvable ||
           verdict == Verdict::kIncomparable;
}

std::string reason_of(const OpResult& op) {
    const TensorResult* tensor = deciding_tensor(op);
    if (tensor == nullptr || !tensor->split || tensor->split->why_not.empty())
        return "both sides differ alike from what is computed here";
    return tensor->split->why_not;
}

}  // namespace

Judged judged_ops(const Result& result) {
    Judged judged;
    for (const OpResult& op : result.ops) {
        if (!op.is_pair()) continue;
        ++judged.of;
        const Verdict verdict = op.judgement.verdict;
        judged.ops += is_unjudged(verdict) ? 0 : 1;
        judged.undefined += verdict == Verdict::kUndefined ? 1 : 0;
        judged.incomparable += verdict == Verdict::kIncomparable ? 1 : 0;
        if (verdict == Verdict::kNotProvable) ++judged.not_provable[reason_of(op)];
    }
    return judged;
}

}  // namespace npuscope::compare
