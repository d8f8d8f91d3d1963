#include "compare/count.h"

namespace npuscope::compare {

void count(Result& result) {
    Counts& counts = result.counts;
    for (const OpResult& op : result.ops) {
        if (op.golden.empty()) {
            ++counts.only_target;
        } else if (op.target.empty()) {
            ++counts.only_golden;
        } else {
            ++counts.ops;
            counts.statuses += op.has_statuses ? 1 : 0;
            counts.not_provable += op.judgement.verdict == Verdict::kNotProvable ? 1 : 0;
        }
        const bool introduced = op.overflow == dumpfile::OverflowRole::kIntroduced;
        counts.overflow_introduced += introduced ? 1 : 0;
        counts.overflow_received += op.overflow == dumpfile::OverflowRole::kReceived ? 1 : 0;
        for (const TensorResult& tensor : op.tensors) {
            counts.tensors += tensor.metrics.empty() && !tensor.by_statistics ? 0 : 1;
            ++counts.by_verdict[static_cast<size_t>(tensor.judgement.verdict)];
            const bool only_inherited = tensor.direction == dumpfile::Direction::kOutput &&
                                        tensor.judgement.verdict == Verdict::kInherited &&
                                        tensor.split && tensor.split->target;
            counts.only_inherited += only_inherited ? 1 : 0;
            counts.ignored_tensors += tensor.ignored > 0 ? 1 : 0;
            counts.ignored_elements += tensor.ignored;
            if (tensor.missing_statistics > 0)
                ++(tensor.by_statistics ? counts.partly_recorded : counts.not_recorded);
        }
    }
}

int Result::exit_code() const {
    if (counts.ops > 0 && (structure_only || (counts.tensors == 0 && counts.statuses > 0)))
        return culprits.empty() ? 0 : 1;
    if (counts.tensors == 0 || hardly_pair) return 2;
    bool finding = !culprits.empty();
    for (size_t i = 0; i < kVerdicts; ++i)
        finding = finding || (counts.by_verdict[i] > 0 &&
                              is_finding(static_cast<Verdict>(i), allow_golden_at_fault));
    if (finding) return 1;
    if (cut_short || 2 * counts.not_provable > counts.ops) return 2;
    const auto any = [&](Verdict verdict) {
        return counts.by_verdict[static_cast<size_t>(verdict)] > 0;
    };
    // An allowed fault of the golden's: the target's op is the honest one.
    // A golden in few bits may leave nothing near it: that every op is honest tells as well.
    const bool is_judged =
        any(Verdict::kPass) || any(Verdict::kGoldenAtFault) || counts.only_inherited > 0;
    return is_judged ? 0 : 2;
}

}  // namespace npuscope::compare
