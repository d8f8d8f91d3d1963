#include "compare/compare.h"

#include <algorithm>
#include <mutex>

#include "compare/accumulate.h"
#include "compare/count.h"
#include "compare/dump_elements.h"
#include "compare/inheritance.h"
#include "compare/judge.h"
#include "compare/op_facts.h"
#include "compare/overflow_roles.h"
#include "compare/plan.h"
#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "custom_algorithms/runner.h"

namespace npuscope::compare {

namespace {

using dumpfile::Entry;

std::string dtype_text(const Entry& entry) {
    const auto dtype = entry.dtype();
    return dtype ? std::string(name_of(*dtype)) : entry.stored.numpy_name;
}

/// [2,1,3] and [2,3] hold the same elements in the same places.
Shape without_ones(const Shape& shape) {
    Shape rest;
    std::copy_if(
        shape.begin(), shape.end(), std::back_inserter(rest), [](int64_t dim) { return dim != 1; });
    return rest;
}

TensorResult one_sided(const TensorPair& pair) {
    const bool has_target = pair.target != nullptr;
    const Entry& entry = has_target ? *pair.target : *pair.golden;
    TensorResult result;
    result.argument = entry.argument;
    result.direction = entry.direction;
    (has_target ? result.target : result.golden) = entry.path;
    result.dtype = dtype_text(entry);
    result.shape = entry.stored.shape;
    result.judgement = {has_target ? Verdict::kMissingGolden : Verdict::kMissingTarget,
                        has_target ? "only the target has it" : "only the golden side has it"};
    // A place that is kept for a result which is not there differs from nothing.
    const bool empty = std::find(entry.stored.shape.begin(), entry.stored.shape.end(), 0) !=
                       entry.stored.shape.end();
    if (empty)
        result.judgement = {Verdict::kUndefined, result.judgement.rule + ", without elements"};
    return result;
}

/// Measures and judges one pair; the sources' numel follows from the shapes.
TensorResult measure(const ElementSource& target,
                     const Shape& target_shape,
                     const ElementSource& golden,
                     const Shape& golden_shape,
                     const Bound& bound,
                     const Options& options) {
    TensorResult result;
    result.dtype = name_of(target.dtype());
    result.shape = target_shape;
    result.bound = bound;
    if (!are_comparable(target.dtype(), golden.dtype())) {
        result.judgement = {Verdict::kIncomparable,
                            "dtypes differ: " + std::string(name_of(target.dtype())) + " and " +
                                std::string(name_of(golden.dtype()))};
        return result;
    }
    if (without_ones(target_shape) != without_ones(golden_shape)) {
        result.judgement = {
            Verdict::kIncomparable,
            "shapes differ: " + to_string(target_shape) + " and " + to_string(golden_shape)};
        return result;
    }
    result.sums = accumulate(target, golden, options.divergence, options.threads);
    for (const Metric* metric : all_metrics())
        result.metrics.push_back(metric->compute(result.sums));
    result.judgement = judge(result.sums, bound, target.dtype());
    return result;
}

TensorResult compare_entries(const TensorPair& pair,
                             const dumpfile::Reader& target,
                             const dumpfile::Reader& golden,
                             const Bounds& bounds,
                             const Options& options) {
    if (pair.target == nullptr || pair.golden == nullptr) return one_sided(pair);
    const Entry& entry = *pair.target;
    TensorResult result;
    result.dtype = dtype_text(entry);
    result.shape = entry.stored.shape;
    try {
        const auto dtype = entry.dtype();
        if (!dtype || !pair.golden->dtype())
            throw Error(ErrorKind::kUnsupported,
                        "dtypes " + dtype_text(entry) + " and " + dtype_text(*pair.golden) +
                            " cannot be measured");
        const BoundQuery query{.target = entry.path,
                               .golden = pair.golden->path,
                               .dtype = *dtype,
                               .compute_type = entry.compute_type,
                               .is_input = entry.direction == dumpfile::Direction::kInput};
        const Bound bound = bounds.bound(query);
        const DumpElements target_data(target, entry);
        const DumpElements golden_data(golden, *pair.golden);
        result = measure(
            target_data, target_data.shape(), golden_data, golden_data.shape(), bound, options);
        judge_as_sum(result, *dtype, [&] { return bounds.sum_of_magnitudes(query); });
        target_data.require_intact();
        golden_data.require_intact();
    } catch (const Error& failure) {
        result.judgement = {Verdict::kIncomparable, failure.what()};
    }
    result.argument = entry.argument;
    result.direction = entry.direction;
    result.target = entry.path;
    result.golden = pair.golden->path;
    if (options.custom != nullptr && !result.metrics.empty())
        run_custom(options, target.read(entry), golden.read(*pair.golden), result);
    return result;
}

/// Bytes compared before the mapped files' pages are given back.
constexpr uint64_t kResident = uint64_t{8} << 20;

uint64_t bytes_of(const OpPair& pair) {
    uint64_t bytes = 0;
    for (const TensorPair& tensors : pair.tensors)
        if (tensors.target != nullptr) bytes += tensors.target->stored.storage_bytes;
    return bytes;
}

SideFacts facts_of(const dumpfile::Reader& reader, const dumpfile::OpEntry* op) {
    if (op == nullptr) return {};
    return {op->facts(), plain_arguments(reader, *op)};
}

OpResult describe(const OpPair& pair,
                  const dumpfile::Reader& target,
                  const dumpfile::Reader& golden) {
    OpResult op;
    op.match = pair.match;
    if (pair.golden != nullptr) {
        op.golden = pair.golden->id.path();
        op.id = pair.golden->id;
    }
    if (pair.target != nullptr) {
        op.target = pair.target->id.path();
        op.id = pair.target->id;
    }
    take_facts(facts_of(target, pair.target), facts_of(golden, pair.golden), op);
    return op;
}

}  // namespace

TensorResult compare_tensors(const Tensor& target,
                             const Tensor& golden,
                             const Bound& bound,
                             const Options& options) {
    return measure(TensorElements(target),
                   target.shape(),
                   TensorElements(golden),
                   golden.shape(),
                   bound,
                   options);
}

void run_custom(const Options& options,
                const Tensor& target,
                const Tensor& golden,
                TensorResult& measured) {
    if (options.custom == nullptr || measured.metrics.empty()) return;
    measured.custom = options.custom->compare(target, golden, measured.target, measured.golden);
}

Result compare_dumps(const dumpfile::Reader& target,
                     const dumpfile::Reader& golden,
                     const Bounds& bounds,
                     const Options& options) {
    const Plan plan = make_plan(target, golden, options.inputs);
    Result result;
    result.load_mode = plan.load_mode;
    if (options.custom != nullptr) result.custom_names = options.custom->names();
    result.ops.resize(plan.ops.size());
    const auto total = static_cast<int64_t>(plan.ops.size());
    const int threads = options.threads > 0 ? options.threads : available_threads();
    // Many ops: one thread an op. Few: the threads share each tensor. The numbers are the same.
    const bool ops_in_parallel = total >= int64_t{2} * threads;
    Options inner = options;
    inner.threads = ops_in_parallel ? 1 : threads;
    std::mutex mutex;
    int64_t done = 0;
    uint64_t unreleased = 0;
    parallel_for(total, ops_in_parallel ? threads : 1, [&](int64_t index) {
        const OpPair& pair = plan.ops[static_cast<size_t>(index)];
        OpResult& op = result.ops[static_cast<size_t>(index)];
        op = describe(pair, target, golden);
        for (const TensorPair& tensors : pair.tensors)
            op.tensors.push_back(compare_entries(tensors, target, golden, bounds, inner));
        conclude(op);
        const std::lock_guard guard(mutex);
        ++done;
        unreleased += bytes_of(pair);
        if (unreleased >= kResident) {
            target.index().release_pages();
            golden.index().release_pages();
            unreleased = 0;
        }
        if (options.on_op) options.on_op(done, total, op.target.empty() ? op.golden : op.target);
    });
    if (!result.load_mode) mark_inherited(result.ops);
    mark_overflow(result.ops);
    count(result);
    return result;
}

}  // namespace npuscope::compare
