#include "diagnose/flows/recompute.h"

#include <algorithm>
#include <optional>

#include "compare/bounds.h"
#include "compare/compare.h"
#include "compare/judge_as_sum.h"
#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "diagnose/recorded_op.h"
#include "diagnose/sum_bounds.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

namespace {

using dumpfile::Entry;
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
    const RecordedOp run(reader, recorded, op);
    Executor executor(device);
    ComputeTypeOf observed;
    executor.attach(observed);
    const NamedValues arguments = run.arguments();
    const Results results = executor.call_named(op.name(), arguments);
    for (const Entry* entry : run.outputs()) {
        const std::string name = run.name_of_argument(*entry);
        report.results.push_back(judge_result(
            result_named(results, name), reader.read(*entry), entry->argument, observed.type, [&] {
                return sum_of_magnitudes(op, name, arguments);
            }));
    }
}

}  // namespace

const Tensor* result_named(const Results& results, const std::string& path) {
    const Tensor* found = nullptr;
    for_each_tensor(results.values(), [&](const std::string& name, const Tensor& tensor) {
        if (name == path) found = &tensor;
    });
    return found;
}

RecomputedResult judge_result(const Tensor* computed,
                              const Tensor& recorded,
                              const std::string& name,
                              ComputeType compute_type,
                              const std::function<double()>& magnitudes) {
    RecomputedResult result{.name = name, .bound = {}};
    if (computed == nullptr) {
        result.incomparable = "the op gives no such result";
        result.within = false;
        return result;
    }
    if (computed->shape() != recorded.shape()) {
        result.incomparable = to_string(computed->shape()) + " computed, " +
                              to_string(recorded.shape()) + " recorded";
        result.within = false;
        return result;
    }
    const compare::PrecisionBounds bounds;
    const auto bound_of = [&](ComputeType precision) {
        return bounds.bound({.target = name,
                             .golden = name,
                             .dtype = computed->dtype(),
                             .compute_type = precision});
    };
    // A result is no better than the dtype that it is rounded to.
    compare::Bound bound = bound_of(compute_type);
    if (compare::Bound stored = bound_of(ComputeType::kNone); stored.tolerance > bound.tolerance)
        bound = std::move(stored);
    compare::Options options;
    options.divergence = false;
    compare::TensorResult measured = compare::compare_tensors(*computed, recorded, bound, options);
    if (magnitudes) compare::judge_as_sum(measured, computed->dtype(), magnitudes);
    result.relative_error = compare::relative_error(measured);
    result.within = !compare::is_finding(measured.judgement.verdict);
    result.bound = bound.source;
    return result;
}

double RecomputedOp::worst() const {
    double error = 0;
    for (const RecomputedResult& result : results)
        error = std::max(error, result.relative_error);
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
        RecomputedOp run{.op = recorded.id.op, .seqid = recorded.id.seqid, .computed_as = {}};
        const backend::Op* op = row_of(recorded);
        if (op == nullptr) {
            run.skipped = "there is no op of this name";
            if (std::ranges::find(report.missing, run.op) == report.missing.end())
                report.missing.push_back(run.op);
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
