#include "diagnose/judge/replay_units.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "diagnose/judge/exact_run.h"
#include "diagnose/judge/op_run.h"
#include "diagnose/judge/replay_ends.h"

namespace npuscope::diagnose {

namespace {

/// So many ops may be anything.
constexpr size_t kMostUnpaired = 16;

/// Whether float32 elements are those of a bfloat16 tensor, as recorders without bfloat16 write
/// them. Few elements may be so by chance where the recorder has no such habit; whole numbers are
/// of any format.
bool is_bfloat(const compare::Side& side, const compare::TracedTensor& tensor) {
    if (!tensor.content || !tensor.content->fits_bfloat) return false;
    if (!tensor.content->tells_bag() && !side.source.ops[tensor.op].stores_wider) return false;
    const auto index = static_cast<size_t>(&tensor - side.flow.tensors.data());
    return std::ranges::any_of(wide_tensor(side, index).as<double>(),
                               [](double value) { return value != std::trunc(value); });
}

}  // namespace

bool multiplies(const SourceOp& op) {
    const backend::Op* row = row_of(op);
    return row != nullptr && is_product(kind_of(*row));
}

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
    const bool is_known = unit > 0 && flows_.target().source.may_have_inputs();
    return is_known ? unit : of_unpaired(op);
}

std::set<size_t> ReplayUnits::unpaired_behind(std::vector<size_t> ops) const {
    const compare::Dataflow& flow = flows_.target().flow;
    if (users_.empty())
        for (const compare::TracedTensor& each : flow.tensors)
            if (each.direction == dumpfile::Direction::kInput && each.producer)
                users_.emplace(flow.tensors[*each.producer].op, each.op);
    std::set<size_t> found;
    while (!ops.empty() && found.size() < kMostUnpaired) {
        const size_t op = ops.back();
        ops.pop_back();
        const auto [first, last] = users_.equal_range(op);
        for (auto user = first; user != last; ++user)
            if (!flows_.is_paired(user->second) && found.insert(user->second).second)
                ops.push_back(user->second);
    }
    return found;
}

/// What stands for it is among the target's ops without partner that take in what it takes in. A
/// product among these rounds its operands; of none of them nothing is known.
double ReplayUnits::of_unpaired(size_t op) const {
    const compare::Dataflow& flow = flows_.golden().flow;
    const bool is_product = multiplies(flows_.golden().source.ops[op]);
    std::vector<size_t> makers;
    for (const compare::TracedTensor& input : flow.of_op(op)) {
        if (input.direction != dumpfile::Direction::kInput || !input.producer) continue;
        const auto* partner = partners_.of(*input.producer);
        if (partner == nullptr) return known_.unit_of(true, std::nullopt);
        makers.push_back(partner->op);
    }
    const std::set<size_t> own = unpaired_behind(std::move(makers));
    const bool is_coarse = is_product || own.empty() || own.size() >= kMostUnpaired ||
                           std::ranges::any_of(own, [&](size_t each) {
                               return multiplies(flows_.target().source.ops[each]);
                           });
    return known_.unit_of(is_coarse, std::nullopt);
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
