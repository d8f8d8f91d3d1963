#include "diagnose/judge/replay_units.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/replay_ends.h"

namespace npuscope::diagnose {

namespace {

/// Whether float32 elements are those of a bfloat16 tensor, as recorders without bfloat16 write
/// them. Whole numbers are of any format.
bool is_bfloat(const compare::Side& side, const compare::TracedTensor& tensor) {
    if (!tensor.content || !tensor.content->tells_bag() || !tensor.content->fits_bfloat)
        return false;
    const auto index = static_cast<size_t>(&tensor - side.flow.tensors.data());
    return std::ranges::any_of(wide_tensor(side, index).as<double>(),
                               [](double value) { return value != std::trunc(value); });
}

bool multiplies(const SourceOp& op) {
    const backend::Op* row = row_of(op);
    return row != nullptr && is_product(kind_of(*row));
}

}  // namespace

double ReplayUnits::of_op(size_t op) const {
    const compare::Dataflow& flow = flows_.golden().flow;
    const bool is_product = multiplies(flows_.golden().source.ops[op]);
    double unit = 0;
    for (size_t i = flow.first[op]; i < flow.first[op + 1]; ++i) {
        const auto* partner = partners_.of(i);
        if (partner == nullptr || !is_float(partner->dtype)) continue;
        unit = std::max(unit, known_.unit_of(is_product, partner->dtype));
        for (const size_t each : ops_between(flows_.target(), agreeing_, partner->op))
            unit = std::max(unit, of_target(each));
    }
    const bool is_known = unit > 0 && flows_.target().source.has_inputs.value_or(true);
    return is_known ? unit : known_.unit_of(is_product, std::nullopt);
}

double ReplayUnits::of_target(size_t op) const {
    const bool is_product = multiplies(flows_.target().source.ops[op]);
    double unit = 0;
    for (const compare::TracedTensor& made : flows_.target().flow.of_op(op)) {
        const auto dtype = dtype_from_name(made.dtype);
        if (made.direction != dumpfile::Direction::kOutput || !dtype || !is_float(*dtype)) continue;
        const DType stored = is_bfloat(flows_.target(), made) ? DType::kBFloat16 : *dtype;
        unit = std::max(unit, known_.unit_of(is_product, stored));
    }
    return unit;
}

}  // namespace npuscope::diagnose
