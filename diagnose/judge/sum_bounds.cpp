#include "diagnose/judge/sum_bounds.h"

#include <algorithm>
#include <cmath>

#include "diagnose/judge/disturbed_runs.h"
#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/recorded_op.h"

namespace npuscope::diagnose {

namespace {

using dumpfile::Direction;
using dumpfile::OpEntry;

double largest(const Tensor& tensor) {
    const Tensor wide = tensor.cast(DType::kFloat64);
    double found = 0;
    for (const double value : wide.as<double>())
        if (std::isfinite(value)) found = std::max(found, value);
    return found;
}

/// Of so many elements a bound is computed in float32: it needs no more digits.
constexpr int64_t kManyElements = int64_t{1} << 20;

int64_t count_elements(const NamedValues& arguments) {
    int64_t count = 0;
    for_each_tensor(arguments,
                    [&](const std::string&, const Tensor& tensor) { count += tensor.numel(); });
    return count;
}

/// The largest number of a result of the op on the magnitudes of `arguments`; 0 without one.
double largest_result(const backend::Op& op,
                      const std::string& result,
                      NamedValues arguments,
                      const Device& device) {
    const auto results = run(op, magnitudes(std::move(arguments)), device);
    const Tensor* sum = results ? result_named(*results, result) : nullptr;
    return sum == nullptr ? 0 : largest(*sum);
}

bool is_dump(const std::filesystem::path& path) {
    return path.extension() == ".h5" || path.extension() == ".hdf5";
}

}  // namespace

double sum_of_magnitudes(const backend::Op& op, const std::string& result, NamedValues arguments) {
    if (op.row->sum.empty() || op.row->sum != result) return 0;
    for (NamedValue& argument : arguments)
        // Other results of a backward op are not asked for.
        if (auto* mask = std::get_if<BoolMask>(&argument.value))
            for (size_t i = 0; i < mask->bits.size() && i < op.schema.results.size(); ++i)
                mask->bits[i] = op.schema.results[i].name == result;
    if (count_elements(arguments) >= kManyElements)
        if (const double found = largest_result(
                op, result, with_floats_as(arguments, DType::kFloat32), Device::reference32());
            found > 0)
            return found;
    return largest_result(op, result, widened(arguments), Device::reference64());
}

double SumBounds::magnitudes_in(Dump& dump, const std::string& result) {
    const auto id = dumpfile::parse_op_path(result);
    if (!id || !is_dump(dump.path)) return 0;
    if (!dump.reader) dump.reader = std::make_unique<dumpfile::Reader>(dump.path);
    const OpEntry* recorded = dump.reader->find(*id);
    const backend::Op* op = recorded == nullptr ? nullptr : row_of(recorded->id.op);
    if (op == nullptr || op->row->sum.empty() || !recorded->has_inputs()) return 0;
    const RecordedOp run(source_op(*dump.reader, *recorded), *op);
    for (const SourceTensor& output : run.outputs())
        if (output.path == result)
            return diagnose::sum_of_magnitudes(*op, run.name_of_argument(output), run.arguments());
    return 0;
}

double SumBounds::sum_of_magnitudes(const compare::BoundQuery& query) const {
    if (query.is_input) return 0;
    const std::lock_guard lock(mutex_);
    const double own = magnitudes_in(target_, query.target);
    return own > 0 ? own : magnitudes_in(golden_, query.golden);
}

}  // namespace npuscope::diagnose
