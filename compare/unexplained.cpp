#include "compare/unexplained.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "compare/agreement.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// The index of the first op with a finding; of what the golden alone has, of the op before it.
size_t first_finding(const Result& result) {
    size_t first = std::numeric_limits<size_t>::max();
    for (const Culprit& culprit : result.culprits)
        if (culprit.kind != CulpritKind::kArithmetic) first = std::min(first, culprit.op);
    for (size_t i = 0; i < result.ops.size(); ++i) {
        const OpResult& op = result.ops[i];
        const bool is_pair = !op.target.empty() && !op.golden.empty();
        if (is_pair && (op.overflowed || is_finding(op.judgement.verdict))) {
            first = std::min(first, i);
            break;
        }
    }
    std::unordered_map<std::string_view, size_t> places;
    for (size_t i = 0; i < result.ops.size(); ++i)
        places.emplace(result.ops[i].target, i);
    for (const PartingResult& parting : result.partings) {
        const auto before = places.find(parting.after);
        const size_t own = parting.only_target.empty() && before != places.end()
                               ? before->second
                               : static_cast<size_t>(std::max(parting.op, 0));
        first = std::min(first, own);
    }
    return first;
}

/// Whether both were found to make the same, not known to compute the same.
bool is_of_other_kinds(const OpPair& pair) {
    const bool are_more = !pair.also_target.empty() || !pair.also_golden.empty();
    return are_of_two_kinds(pair) || (!pair.ties.empty() && are_more);
}

/// The first result, where it came in; what an op keeps beside it (a mean) may be paired by chance.
TensorResult* inherited_result(OpResult& op) {
    const auto first = std::ranges::find_if(op.tensors, [](const TensorResult& tensor) {
        return tensor.direction == Direction::kOutput && !tensor.metrics.empty();
    });
    if (first == op.tensors.end() || first->judgement.verdict != Verdict::kInherited ||
        first->sums.nonfinite_differs > 0)
        return nullptr;
    return &*first;
}

void accuse_pair(size_t place, TensorResult& output, const std::string& sentence, Result& result) {
    output.judgement.verdict = Verdict::kFail;
    output.judgement.rule = sentence;
    OpResult& op = result.ops[place];
    conclude(op, result.allow_golden_at_fault);
    op.from_nothing = true;
    result.culprits.push_back(
        {.kind = CulpritKind::kProgram,
         .op = place,
         .why = op.target + " and the golden's " + op.golden + ": " + sentence});
}

std::string words_of_result(const TensorResult& output, double before) {
    return fmt::format(
        "off by {:.2g} max|g|, and nothing before it made that: what was compared before is off by "
        "{:.2g} at most, and each side's arithmetic is honest, so that the programs compute "
        "something else here",
        relative_error(output),
        before);
}

/// Inputs that were made by ops that relations compare as a part of another pair, such as a sum.
class AbsorbedMakers {
  public:
    /// `flows` is nullptr where nothing was traced.
    AbsorbedMakers(const Plan& plan, const PairedFlows* flows) : flows_(flows) {
        if (flows == nullptr) return;
        for (const OpPair& pair : plan.ops) {
            if (pair.ties.empty()) continue;
            absorbed_.insert(pair.also_target.begin(), pair.also_target.end());
            absorbed_.insert(pair.also_golden.begin(), pair.also_golden.end());
        }
        if (absorbed_.empty()) return;
        for (const InputPair& input : flows->inputs())
            if (is_made_inside(input)) inputs_.emplace(input.pair, input);
    }

    /// Why an input of the pair is farther off than `limit`, though all before it is `before` at
    /// most; "" where none is.
    [[nodiscard]] std::string words_of_input(size_t place,
                                             const OpResult& op,
                                             double before,
                                             double limit) const {
        const auto [first, last] = inputs_.equal_range(place);
        for (auto each = first; each != last; ++each) {
            const TracedTensor& mine = flows_->target().tensor(each->second.target);
            const auto tensor = std::ranges::find(op.tensors, mine.path, &TensorResult::target);
            if (tensor == op.tensors.end() || tensor->metrics.empty() || !is_floating(*tensor) ||
                !(relative_error(*tensor) > limit))
                continue;
            return fmt::format(
                "its input `{}` is off by {:.2g} max|g|, and what was compared before by {:.2g} at "
                "most: the target's is what {} made, the golden's what {} made, so that the "
                "programs compute something else here",
                mine.argument,
                relative_error(*tensor),
                before,
                maker_of(flows_->target(), each->second.target)->path,
                maker_of(flows_->golden(), each->second.golden)->path);
        }
        return "";
    }

  private:
    /// nullptr of what no op made, or several may have made.
    static const SourceOp* maker_of(const Side& side, size_t tensor) {
        const TracedTensor& traced = side.tensor(tensor);
        if (!traced.producer || traced.ambiguous) return nullptr;
        return &side.source.ops[side.tensor(*traced.producer).op];
    }

    [[nodiscard]] bool is_made_inside(const InputPair& input) const {
        const SourceOp* mine = maker_of(flows_->target(), input.target);
        const SourceOp* theirs = maker_of(flows_->golden(), input.golden);
        return mine != nullptr && theirs != nullptr &&
               (absorbed_.contains(mine) || absorbed_.contains(theirs));
    }

    const PairedFlows* flows_;
    std::unordered_set<const SourceOp*> absorbed_{};
    std::unordered_multimap<size_t, InputPair> inputs_{};  ///< by place
};

}  // namespace

void accuse_unexplained(const Plan& plan,
                        const PairedFlows* flows,
                        const std::optional<Grown>& grown,
                        Result& result) {
    if (!plan.is_related) return;
    const AbsorbedMakers absorbed(plan, flows);
    const size_t last = std::min(first_finding(result), plan.ops.size());
    double before = 0;
    for (size_t i = 0; i < last; ++i) {
        OpResult& op = result.ops[i];
        if (op.target.empty() || op.golden.empty()) continue;
        TensorResult* output = inherited_result(op);
        const auto limit = [&] { return std::max(kChainNoise, kChainGrowth * before); };
        if (output != nullptr && relative_error(*output) > limit())
            if (const std::string words = absorbed.words_of_input(i, op, before, limit());
                !words.empty()) {
                accuse_pair(i, *output, words, result);
                return;
            }
        before = std::max(before, worst_error(op, Direction::kInput).value_or(0));
        if (output != nullptr && (!grown || grown->pairs.contains(i)) &&
            is_of_other_kinds(plan.ops[i]) && relative_error(*output) > limit()) {
            accuse_pair(i, *output, words_of_result(*output, before), result);
            return;
        }
        before = std::max(before, worst_error(op, Direction::kOutput).value_or(0));
    }
}

}  // namespace npuscope::compare
