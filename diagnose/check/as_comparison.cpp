#include "diagnose/check/check_report.h"

namespace npuscope::diagnose {

namespace {

using compare::Culprit;
using compare::CulpritKind;

compare::OpResult result_of(const OpFinding& op) {
    compare::OpResult made;
    made.target = made.golden = op.id.path();
    made.node = op.node;
    made.id = op.id;
    made.tensors = op.tensors;
    made.standard = op.standard;
    if (op.passes()) {
        made.judgement = *op.judgement;
        made.judgement.verdict = compare::Verdict::kPass;
    } else if (op.fails()) {
        made.judgement = {op.fails_alone() ? op.judgement->verdict : compare::Verdict::kFail,
                          op.rule()};
    } else {
        made.judgement = {compare::Verdict::kUndefined, op.rule()};
    }
    // What of these counts is a culprit below.
    for (compare::TensorResult& tensor : made.tensors)
        if (!op.fails()) tensor.judgement.verdict = compare::Verdict::kPass;
    return made;
}

}  // namespace

compare::Result as_comparison(const CheckReport& report) {
    compare::Result result;
    // Of the model as a whole: told by its sentence, at the first op.
    const auto accuse = [&](CulpritKind kind, const std::string& why) {
        result.culprits.push_back({.kind = kind, .op = 0, .why = why, .argument = why});
    };
    for (const std::string& why : report.bad_inputs)
        accuse(CulpritKind::kTensor, why);
    for (const std::string& why : report.given)
        accuse(CulpritKind::kTensor, why);
    for (const OpFinding& op : report.ops) {
        const size_t place = result.ops.size();
        result.ops.push_back(result_of(op));
        if (op.fails())
            result.culprits.push_back({.kind = op.is(compare::Verdict::kGoldenAtFault)
                                                   ? CulpritKind::kGolden
                                                   : CulpritKind::kOp,
                                       .op = place,
                                       .why = op.rule()});
        else if (op.overflow == OverflowRole::kIntroduced)
            result.culprits.push_back(
                {.kind = CulpritKind::kOp, .op = place, .why = "overflow, " + op.overflow_note});
    }
    // With a culprit of its own, a difference of the programs is only a remark.
    if (result.culprits.empty())
        for (const std::string& why : report.program)
            accuse(CulpritKind::kProgram, why);
    result.counts.ops = static_cast<int64_t>(report.ops.size());
    result.counts.tensors = report.compared;
    result.counts.not_provable = report.not_judged;
    result.counts.by_verdict[static_cast<size_t>(compare::Verdict::kPass)] = report.passed;
    result.counts.by_verdict[static_cast<size_t>(compare::Verdict::kFail)] = report.failed;
    if (report.verdict == CheckVerdict::kUndecided) result.hardly_pair = true;
    // The model as a whole may fail where no op was judged.
    if (report.verdict == CheckVerdict::kFail && report.compared == 0) result.counts.tensors = 1;
    result.counts.ignored_tensors = report.ignored_tensors;
    result.counts.ignored_elements = report.ignored_elements;
    result.standard = report.standard;
    return result;
}

}  // namespace npuscope::diagnose
