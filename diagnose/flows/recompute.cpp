#include "diagnose/flows/recompute.h"

#include <algorithm>
#include <optional>

#include "compare/bounds.h"
#include "compare/compare.h"
#include "core/base/error.h"
#include "core/dumpfile/reader.h"
#include "core/naming/aliases.h"
#include "npu_backend/executor.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

namespace {

using backend::ArgumentKind;
using dumpfile::Direction;
using dumpfile::Entry;
using dumpfile::OpEntry;

struct ComputeTypeOf : Observer {
    void op_end(const OpEnd& event) override { type = std::string(name_of(event.compute_type)); }
    std::string type;
};

IntList whole_list(const Tensor& stored) {
    const Tensor whole = stored.cast(DType::kInt64);
    const auto values = whole.as<int64_t>();
    return {values.begin(), values.end()};
}

/// A recorded number in the kind that the schema wants; tensors are read by the caller.
Value number_of(const dumpfile::Reader& reader, const Entry& entry) {
    const Tensor stored = reader.read_stored(entry);
    switch (static_cast<SaveType>(entry.save_type.value_or(0))) {
        case SaveType::kIntListBackward:
        case SaveType::kIntList:
        case SaveType::kPair:
            return whole_list(stored);
        case SaveType::kBoolMask: {
            BoolMask mask;
            for (const int64_t bit : whole_list(stored))
                mask.bits.push_back(bit != 0);
            return mask;
        }
        case SaveType::kInt:
            return whole_list(stored).at(0);
        case SaveType::kBool:
            return stored.at(0) != 0;
        case SaveType::kFloat:
            return stored.at(0);
        case SaveType::kScalar:
            if (is_float(stored.dtype())) return Scalar{stored.at(0)};
            if (size_of(stored.dtype()) == 1) return Scalar{stored.at(0) != 0};
            return Scalar{whole_list(stored).at(0)};
        default:
            return {};
    }
}

/// One run of the recording.
class Run {
  public:
    Run(const dumpfile::Reader& reader, const OpEntry& recorded, const backend::Op& op)
        : reader_(reader),
          recorded_(recorded),
          op_(op),
          alias_(op.name() == recorded.id.op ? nullptr : find_alias(recorded.id.op)) {}

    [[nodiscard]] NamedValues arguments() const {
        NamedValues values;
        for (const backend::Argument& argument : op_.schema.arguments) {
            Value value = argument.kind == ArgumentKind::kTensorList ? list_of(argument.name)
                                                                     : value_of(argument);
            if (!is_none(value)) values.push_back({argument.name, std::move(value)});
        }
        return values;
    }

    [[nodiscard]] std::vector<const Entry*> outputs() const {
        std::vector<const Entry*> found;
        for (const Entry& entry : recorded_.entries)
            if (entry.direction == Direction::kOutput && entry.is_tensor() &&
                numel_of(entry.stored.shape) > 0)
                found.push_back(&entry);
        return found;
    }

    [[nodiscard]] std::string name_of_argument(const Entry& entry) const {
        return alias_ == nullptr ? entry.argument
                                 : std::string(canonical_argument(*alias_, entry.argument));
    }

  private:
    [[nodiscard]] const Entry* input(const std::string& name) const {
        for (const Entry& entry : recorded_.entries)
            if (entry.direction == Direction::kInput && name_of_argument(entry) == name)
                return &entry;
        return nullptr;
    }

    [[nodiscard]] Value list_of(const std::string& name) const {
        TensorList list;
        const std::string elements = name + "/" + name + "_";
        while (const Entry* entry = input(elements + std::to_string(list.size())))
            list.push_back(reader_.read(*entry));
        return list.empty() ? Value() : Value(std::move(list));
    }

    [[nodiscard]] Value value_of(const backend::Argument& argument) const {
        if (const Entry* entry = input(argument.name))
            return entry->is_tensor() ? Value(reader_.read(*entry)) : number_of(reader_, *entry);
        if (argument.kind == ArgumentKind::kBoolMask) {
            BoolMask mask;
            for (const backend::Argument& result : op_.schema.results)
                mask.bits.push_back(std::ranges::any_of(outputs(), [&](const Entry* entry) {
                    return name_of_argument(*entry) == result.name;
                }));
            return mask;
        }
        // cuDNN's gradient exists in training only and has no such argument.
        if (alias_ != nullptr && argument.name == "train") return true;
        return {};
    }

    const dumpfile::Reader& reader_;
    const OpEntry& recorded_;
    const backend::Op& op_;
    const Alias* alias_;
};

const Tensor* computed_tensor(const Results& results, const std::string& path) {
    const Tensor* found = nullptr;
    for_each_tensor(results.values(), [&](const std::string& name, const Tensor& tensor) {
        if (name == path) found = &tensor;
    });
    return found;
}

RecomputedResult judged(const Tensor* computed,
                        const Tensor& recorded,
                        const std::string& name,
                        const std::string& compute_type) {
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
    const auto bound_of = [&](const std::string& precision) {
        return bounds.bound({.target = name,
                             .golden = name,
                             .dtype = computed->dtype(),
                             .compute_type = precision});
    };
    // A result is no better than the dtype that it is rounded to.
    compare::Bound bound = bound_of(compute_type);
    if (compare::Bound stored = bound_of(""); stored.tolerance > bound.tolerance)
        bound = std::move(stored);
    compare::Options options;
    options.divergence = false;
    const compare::TensorResult measured =
        compare::compare_tensors(*computed, recorded, bound, options);
    result.relative_error = compare::relative_error(measured);
    result.within = !compare::is_finding(measured.judgement.verdict);
    result.bound = bound.source;
    return result;
}

void run_op(const dumpfile::Reader& reader,
            const OpEntry& recorded,
            const backend::Op& op,
            const Device& device,
            RecomputedOp& report) {
    const Run run(reader, recorded, op);
    Executor executor(device);
    ComputeTypeOf observed;
    executor.attach(observed);
    const Results results = executor.call_named(op.name(), run.arguments());
    for (const Entry* entry : run.outputs()) {
        const std::string name = run.name_of_argument(*entry);
        report.results.push_back(judged(
            computed_tensor(results, name), reader.read(*entry), entry->argument, observed.type));
    }
}

}  // namespace

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
        const backend::Op* op = backend::find_op(recorded.id.op);
        if (op == nullptr) op = backend::find_op(canonical_name(recorded.id.op));
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
