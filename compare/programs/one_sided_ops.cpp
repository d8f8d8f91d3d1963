#include "compare/programs/one_sided_ops.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "compare/dataflow/constants_made.h"
#include "compare/dataflow/counterpart.h"
#include "compare/dataflow/side_branch.h"
#include "compare/dataflow/tells_inputs.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/random_ops.h"
#include "compare/relate/dot_products.h"
#include "core/base/error.h"
#include "core/naming/in_place.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Ops behind the last pair, and how far apart of the norm, that the same result is made at most.
constexpr size_t kNearBehind = 8;
constexpr double kSameBeside = 0.05;

/// nullptr where both sides have ops, or neither.
const std::vector<const SourceOp*>* ops_of_one_side(const Parting& parting) {
    if (parting.only_target.empty() == parting.only_golden.empty()) return nullptr;
    return parting.only_golden.empty() ? &parting.only_target : &parting.only_golden;
}

}  // namespace

bool OneSidedOps::change_nothing(const Parting& parting) const {
    const auto* ops = ops_of_one_side(parting);
    if (ops == nullptr) return false;
    const bool of_target = parting.only_golden.empty();
    if (!may_be_random(*ops) && make_equal_constants(flows_, *ops, of_target)) return true;
    const Side& side = of_target ? flows_.target() : flows_.golden();
    return is_of_averages(parting) || are_made_beside_others(parting) ||
           leads_nowhere(side, *ops, [&](const SourceOp& op) { return is_paired(op); });
}

bool OneSidedOps::is_of_averages(const Parting& parting) const {
    const auto is_in_place = [](const SourceOp* op) { return calculates_in_place(op->id.op); };
    const auto* own = ops_of_one_side(parting);
    if (!std::ranges::all_of(*own, is_in_place)) return false;
    const bool of_target = parting.only_golden.empty();
    // An average goes on from step to step.
    std::vector<const SourceOp*> all;
    for (const Parting& each : plan_.partings) {
        const auto* ops = ops_of_one_side(each);
        if (ops != nullptr && each.only_golden.empty() == of_target &&
            std::ranges::all_of(*ops, is_in_place))
            all.insert(all.end(), ops->begin(), ops->end());
    }
    const Side& side = of_target ? flows_.target() : flows_.golden();
    return averages_states(side, *own) || averages_states(side, all);
}

bool OneSidedOps::are_made_beside_others(const Parting& parting) const {
    const bool of_target = parting.only_golden.empty();
    const Side& own = of_target ? flows_.target() : flows_.golden();
    const Side& other = of_target ? flows_.golden() : flows_.target();
    const SourceOp* before = of_target ? parting.before_golden : parting.before_target;
    const auto* ops = ops_of_one_side(parting);
    if (ops == nullptr || before == nullptr || (tells_inputs(own) && tells_inputs(other)))
        return false;
    const auto at = static_cast<size_t>(before - other.source.ops.data());
    const size_t end = std::min(at + kNearBehind, other.source.ops.size());
    const auto is_there = [&](const TracedTensor& made) {
        const Tensor numbers = traced_numbers(own, made);
        for (size_t i = other.flow.first[at]; i < other.flow.first[end]; ++i) {
            const TracedTensor& tensor = other.tensor(i);
            if (tensor.direction != Direction::kOutput || !tensor.content ||
                tensor.content->numel != made.content->numel ||
                counterpart_of(flows_, !of_target, i))
                continue;
            const Tensor theirs = traced_numbers(other, i);
            if (relative_distance(theirs.as<double>(), numbers.as<double>()) <= kSameBeside)
                return true;
        }
        return false;
    };
    try {
        for (const SourceOp* op : *ops)
            for (const TracedTensor& made : own.of_op(*op))
                if (made.direction == Direction::kOutput &&
                    (!made.content || made.content->numel < 2 || !is_there(made)))
                    return false;
        return true;
    } catch (const Error&) {
        // What cannot be read is told where it is compared.
        return false;
    }
}

bool OneSidedOps::ends_before_gradients(const Parting& parting) const {
    const auto* ops = ops_of_one_side(parting);
    if (ops == nullptr) return false;
    return compare::ends_before_gradients(
               parting.only_golden.empty() ? flows_.target() : flows_.golden(),
               *ops,
               [&](const SourceOp& op) { return is_paired(op); }) &&
           !may_have_gradients(parting);
}

bool OneSidedOps::may_have_gradients(const Parting& parting) const {
    const bool of_target = parting.only_golden.empty();
    const Side& side = of_target ? flows_.target() : flows_.golden();
    const auto for_each = [&](const SourceOp* op, Direction direction, const auto& f) {
        for (const TracedTensor& tensor :
             side.flow.of_op(static_cast<size_t>(op - side.source.ops.data())))
            if (tensor.direction == direction && tensor.content) f(tensor.content->numel);
    };
    std::set<int64_t> given;
    for (const SourceOp* op : of_target ? parting.only_target : parting.only_golden)
        for_each(op, Direction::kInput, [&](int64_t numel) { given.insert(numel); });
    bool any = false;
    for (const Parting& other : plan_.partings)
        for (const SourceOp* op : of_target ? other.only_target : other.only_golden)
            if (&other != &parting && op > &parting.first())
                for_each(op, Direction::kOutput, [&](int64_t numel) {
                    any = any || given.contains(numel);
                });
    return any;
}

bool OneSidedOps::is_paired(const SourceOp& op) const {
    const auto place = places_.find(&op);
    return place != places_.end() && plan_.ops[place->second].target != nullptr &&
           plan_.ops[place->second].golden != nullptr;
}

}  // namespace npuscope::compare
