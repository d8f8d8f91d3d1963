#include "diagnose/recompute/recompute.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "diagnose/judge/judge_result.h"
#include "diagnose/judge/recorded_op.h"
#include "diagnose/judge/side_judge.h"
#include "diagnose/judge/sum_bounds.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

namespace {

struct ComputeTypeOf : Observer {
    void op_end(const OpEnd& event) override { type = event.compute_type; }
    ComputeType type = ComputeType::kNone;
};

/// Judges the results again, by what the recorded run introduced.
void judge_arithmetic(OpRun run,
                      const SideJudge& judge,
                      std::vector<compare::TensorResult>& results) {
    const std::vector<OpRun> forms = forms_of(std::move(run));
    auto [form, errors] = judge.judge_best(forms);
    for (compare::TensorResult& result : results) {
        const auto& own = forms[form].results;
        const auto found = std::ranges::find_if(
            own, [&](const RecordedResult& each) { return each.argument == result.argument; });
        if (found == own.end()) continue;
        auto& error = errors[static_cast<size_t>(found - own.begin())];
        if (!error) continue;
        result.split = compare::Split{.target = std::move(error)};
        const compare::Introduced& introduced = *result.split->target;
        result.judgement.verdict =
            introduced.ratio > 1 ? compare::Verdict::kFail : compare::Verdict::kPass;
        result.judgement.rule =
            fmt::format("{:.2g} of what {} may be", introduced.ratio, introduced.arithmetic);
        result.judgement.bound.source = result.judgement.rule;
    }
}

void run_op(const SourceOp& recorded,
            const backend::Op& op,
            const Device& device,
            const SideJudge& judge,
            RecomputedOp& report) {
    const RecordedOp entry(recorded, op);
    OpRun run = run_of(op, entry, entry.arguments());
    Executor executor(device);
    ComputeTypeOf observed;
    executor.attach(observed);
    const Results results = executor.call_named(op.name(), run.arguments);
    for (const RecordedResult& result : run.results)
        report.results.push_back(
            judge_result(result_named(results, result.name),
                         result.elements,
                         result.argument,
                         observed.type,
                         [&] { return sum_of_magnitudes(op, result.name, run.arguments); }));
    if (entry.has_inputs() && !run.arguments.empty() && kind_of(op) != OpKind::kRandom)
        judge_arithmetic(std::move(run), judge, report.results);
}

}  // namespace

double RecomputedOp::worst() const {
    double error = 0;
    for (const compare::TensorResult& result : results)
        error = std::max(error, compare::relative_error(result));
    return error;
}

const RecomputedOp* RecomputeReport::worst() const {
    const RecomputedOp* found = nullptr;
    for (const RecomputedOp& op : ops)
        if (!op.results.empty() && (found == nullptr || op.worst() > found->worst())) found = &op;
    return found;
}

RecomputeReport recompute(const std::filesystem::path& dump, const Device& device) {
    const Source source = source_of_dump(std::make_shared<const dumpfile::Reader>(dump));
    std::vector<SideOp> ops;
    for (const SourceOp& op : source.ops)
        ops.push_back({&op});
    const SideJudge judge(ops);
    RecomputeReport report{.arithmetic = judge.sentences()};
    for (const SourceOp& recorded : source.ops) {
        RecomputedOp run{.id = recorded.id};
        const backend::Op* op = row_of(recorded.id.op);
        if (op == nullptr) {
            run.skipped = "there is no op of this name";
            if (std::ranges::find(report.missing, run.id.op) == report.missing.end())
                report.missing.push_back(run.id.op);
        } else {
            run.computed_as = op->name();
            try {
                run_op(recorded, *op, device, judge, run);
            } catch (const Error& error) {
                // A damaged file ends the run; an op that cannot take its inputs is one line.
                if (error.kind() != ErrorKind::kUsage && error.kind() != ErrorKind::kUnsupported)
                    throw;
                run.skipped = error.what();
            }
        }
        report.ops.push_back(std::move(run));
    }
    return report;
}

}  // namespace npuscope::diagnose
