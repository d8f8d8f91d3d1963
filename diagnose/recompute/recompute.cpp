#include "diagnose/recompute/recompute.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "diagnose/judge/judge_result.h"
#include "diagnose/judge/recorded_op.h"
#include "diagnose/judge/sum_bounds.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

namespace {

using dumpfile::OpEntry;

struct ComputeTypeOf : Observer {
    void op_end(const OpEnd& event) override { type = event.compute_type; }
    ComputeType type = ComputeType::kNone;
};

void run_op(const dumpfile::Reader& reader,
            const OpEntry& recorded,
            const backend::Op& op,
            const Device& device,
            RecomputedOp& report) {
    const RecordedOp run(compare::source_op(reader, recorded), op);
    Executor executor(device);
    ComputeTypeOf observed;
    executor.attach(observed);
    const NamedValues arguments = run.arguments();
    const Results results = executor.call_named(op.name(), arguments);
    for (const compare::SourceTensor& output : run.outputs()) {
        const std::string name = run.name_of_argument(output);
        report.results.push_back(judge_result(
            result_named(results, name), output.open()->whole(), output.argument, observed.type, [&] {
                return sum_of_magnitudes(op, name, arguments);
            }));
    }
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
    const dumpfile::Reader reader(dump);
    RecomputeReport report;
    for (const OpEntry& recorded : reader.ops()) {
        RecomputedOp run{.id = recorded.id};
        const backend::Op* op = row_of(recorded.id.op);
        if (op == nullptr) {
            run.skipped = "there is no op of this name";
            if (std::ranges::find(report.missing, run.id.op) == report.missing.end())
                report.missing.push_back(run.id.op);
        } else {
            run.computed_as = op->name();
            try {
                run_op(reader, recorded, *op, device, run);
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
