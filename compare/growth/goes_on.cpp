#include "compare/growth/goes_on.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <vector>

#include "compare/agreement.h"
#include "compare/dataflow/traced_numbers.h"
#include "compare/random_ops.h"
#include "compare/relate/dot_products.h"
#include "core/dtype/dtype.h"
#include "core/naming/casts.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// By how much farther off what one side makes of a result is than that itself.
constexpr double kFartherThanPair = 4;

/// By tensor: whether some of those ops takes it in that does not only copy or show it for nobody.
template <class Counts>
std::vector<bool> used_tensors(const Side& side, const Counts& counts) {
    std::vector<bool> used(side.flow.tensors.size(), false);
    for (size_t op = side.source.ops.size(); op-- > 0;) {
        if (!counts(side.source.ops[op])) continue;
        const std::span<const TracedTensor> tensors = side.flow.of_op(op);
        const auto is_used_result = [&](const TracedTensor& tensor) {
            return tensor.direction == Direction::kOutput &&
                   used[static_cast<size_t>(&tensor - side.flow.tensors.data())];
        };
        if (is_cast(side.source.ops[op].id.op) && std::ranges::none_of(tensors, is_used_result))
            continue;
        for (const TracedTensor& tensor : tensors)
            if (tensor.producer) used[*tensor.producer] = true;
    }
    // Of results with the same elements nobody recorded which one it was.
    std::unordered_set<uint64_t> known;
    for (size_t i = 0; i < used.size(); ++i)
        if (used[i] && side.tensor(i).content && side.tensor(i).content->tells_bag())
            known.insert(side.tensor(i).content->sequence);
    for (size_t i = 0; i < used.size(); ++i)
        if (!used[i] && side.tensor(i).direction == Direction::kOutput && side.tensor(i).content)
            used[i] = known.contains(side.tensor(i).content->sequence);
    return used;
}

/// Whether an op gives out floats that nobody knows what it made of: it may take in anything.
bool hides_inputs(const Side& side) {
    for (size_t op = 0; op < side.source.ops.size(); ++op) {
        const std::span<const TracedTensor> tensors = side.flow.of_op(op);
        const auto is_input = [](const TracedTensor& tensor) {
            return tensor.direction == Direction::kInput;
        };
        const auto tells = [](const TracedTensor& tensor) {
            const auto dtype = dtype_from_name(tensor.dtype);
            return dtype && is_float(*dtype) && tensor.content && !tensor.content->constant;
        };
        const SourceOp& source = side.source.ops[op];
        // What is made of numbers alone (`arange`) says which.
        if (std::ranges::none_of(tensors, is_input) && std::ranges::any_of(tensors, tells) &&
            !may_be_random(source) && (!source.facts || source.facts().arguments.empty()))
            return true;
    }
    return false;
}

double distance(const Side& one, size_t a, const Side& other, size_t b) {
    const Tensor mine = traced_numbers(one, a);
    const Tensor theirs = traced_numbers(other, b);
    return relative_distance(mine.as<double>(), theirs.as<double>());
}

/// The ops of `side` without partner that go on from what `other` ends in.
class Search {
  public:
    Search(const Side& side,
           const Side& other,
           const std::unordered_map<size_t, size_t>& partners,
           const std::unordered_set<const SourceOp*>& paired)
        : side_(side),
          other_(other),
          partners_(partners),
          paired_(paired),
          used_(used_tensors(side, [](const SourceOp&) { return true; })),
          used_by_pairs_(
              used_tensors(other, [&](const SourceOp& op) { return paired.contains(&op); })),
          used_by_other_(used_tensors(other, [](const SourceOp&) { return true; })) {}

    void add(std::unordered_set<const SourceOp*>& found) const {
        for (size_t i = 0; i < side_.flow.tensors.size(); ++i)
            if (is_last(i)) add_before(i, found);
    }

  private:
    [[nodiscard]] const SourceOp* op_of(size_t tensor) const {
        return &side_.source.ops[side_.tensor(tensor).op];
    }

    [[nodiscard]] bool is_last(size_t index) const {
        const TracedTensor& tensor = side_.tensor(index);
        const auto dtype = dtype_from_name(tensor.dtype);
        return tensor.direction == Direction::kOutput && !used_[index] && dtype &&
               is_float(*dtype) && tensor.content && tensor.content->numel > 1 &&
               !tensor.content->constant && !paired_.contains(op_of(index)) &&
               // LeftState tells of these.
               state_before(side_, tensor) == nullptr;
    }

    /// From the last result back to pairs.
    void add_before(size_t last, std::unordered_set<const SourceOp*>& found) const {
        std::vector<size_t> open = {side_.tensor(last).op};
        std::unordered_set<size_t> ops;
        bool goes_on = false;
        while (!open.empty()) {
            const size_t op = open.back();
            open.pop_back();
            if (!ops.insert(op).second) continue;
            for (const TracedTensor& input : side_.flow.of_op(op)) {
                if (input.direction != Direction::kInput || !input.producer) continue;
                if (!paired_.contains(op_of(*input.producer)))
                    open.push_back(side_.tensor(*input.producer).op);
                else
                    goes_on = goes_on || is_end_of_other(*input.producer, last);
            }
        }
        if (!goes_on) return;
        for (const size_t op : ops)
            found.insert(&side_.source.ops[op]);
    }

    [[nodiscard]] bool is_end_of_other(size_t result, size_t last) const {
        const auto partner = partners_.find(result);
        if (partner == partners_.end() || used_by_pairs_[partner->second]) return false;
        if (!is_as_large(partner->second, last) ||
            same_content(*side_.tensor(result).content, *side_.tensor(last).content))
            return false;
        const double alike = std::max(
            kAgreement, kFartherThanPair * distance(side_, result, other_, partner->second));
        // The other side may come to the same by ops of its own.
        for (size_t i = 0; i < other_.flow.tensors.size(); ++i)
            if (other_.tensor(i).direction == Direction::kOutput && !used_by_other_[i] &&
                is_as_large(i, last) && distance(side_, last, other_, i) <= alike)
                return false;
        return true;
    }

    [[nodiscard]] bool is_as_large(size_t of_other, size_t last) const {
        const auto& content = other_.tensor(of_other).content;
        return content && content->numel == side_.tensor(last).content->numel;
    }

    const Side& side_;
    const Side& other_;
    const std::unordered_map<size_t, size_t>& partners_;  ///< results of `other`, by those of side
    const std::unordered_set<const SourceOp*>& paired_;
    std::vector<bool> used_;
    std::vector<bool> used_by_pairs_;  ///< of the other side
    std::vector<bool> used_by_other_;  ///< by any of its ops
};

}  // namespace

GoesOn::GoesOn(const PairedFlows& flows) {
    const Side& target = flows.target();
    const Side& golden = flows.golden();
    if (!target.source.may_have_inputs() || !golden.source.may_have_inputs() ||
        hides_inputs(target) || hides_inputs(golden))
        return;
    std::unordered_map<size_t, size_t> goldens;
    std::unordered_map<size_t, size_t> targets;
    for (size_t i = 0; i < golden.flow.tensors.size(); ++i)
        if (golden.tensor(i).direction == Direction::kOutput)
            if (const auto partner = flows.partner_of(i)) {
                goldens.emplace(*partner, i);
                targets.emplace(i, *partner);
            }
    const std::unordered_set<const SourceOp*> paired = paired_ops(flows.plan());
    Search(target, golden, goldens, paired).add(ops_);
    Search(golden, target, targets, paired).add(ops_);
}

bool GoesOn::has(const Parting& parting) const {
    const auto is_one = [&](const SourceOp* op) { return ops_.contains(op); };
    return std::ranges::any_of(parting.only_target, is_one) ||
           std::ranges::any_of(parting.only_golden, is_one);
}

}  // namespace npuscope::compare
