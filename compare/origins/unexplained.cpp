#include "compare/origins/unexplained.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/origins/gradient_scale.h"
#include "compare/origins/inflow.h"
#include "compare/programs/agrees_behind.h"
#include "core/naming/api_names.h"
#include "core/naming/casts.h"

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
        const bool is_pair = op.is_pair();
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

/// So much of a norm no rounding makes, nor so many times what came before.
constexpr double kJump = 0.2;
constexpr double kJumpGrowth = 4;
/// A pair that is so many times farther off than what came in, and so far at least.
constexpr double kGrownAlone = 30;
constexpr double kGrownError = 0.02;
/// Of the results behind, so many are far off as well, and this share.
constexpr int64_t kFewestBehind = 8;
constexpr double kMostBehind = 0.5;

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

/// Of a pair in which errors grow, whichever they grow in most.
TensorResult* worst_inherited(OpResult& op) {
    TensorResult* worst = nullptr;
    for (TensorResult& tensor : op.tensors) {
        if (tensor.direction != Direction::kOutput || tensor.metrics.empty() ||
            tensor.judgement.verdict != Verdict::kInherited || tensor.sums.nonfinite_differs > 0)
            continue;
        if (worst == nullptr || relative_error(tensor) > relative_error(*worst)) worst = &tensor;
    }
    return worst;
}

/// Whether a pair of ops that compute is so much farther off than what came into it that it matters
/// not how far off others are. Views and copies of either side may show something else.
bool grows_alone(const std::optional<Grown>& grown, const OpPair& pair, size_t place) {
    if (!grown || is_cast(pair.target->id.op) || is_cast(pair.golden->id.op)) return false;
    const auto found = grown->pairs.find(place);
    return found != grown->pairs.end() && found->second > kGrownAlone;
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

/// Whether it is what a function's gradient alone makes, and no recorded op takes in: recorders of
/// functions do not show where gradients are added up, so that it may be a part of the other
/// side's.
bool is_part_of_unseen_sum(const Side& side, const SourceOp& op, const std::string& output) {
    const auto record = parse_api_record(op.path);
    if (!record || !record->is_backward) return false;
    const auto index = static_cast<size_t>(&op - side.source.ops.data());
    const auto tensors = side.flow.of_op(index);
    const auto made = std::ranges::find(tensors, output, &TracedTensor::path);
    return made != tensors.end() &&
           !is_tensor_taken_in(
               side, side.flow.first[index] + static_cast<size_t>(made - tensors.begin()));
}

bool is_part_of_unseen_sum(const PairedFlows& flows,
                           const OpPair& pair,
                           const TensorResult& output) {
    return is_part_of_unseen_sum(flows.target(), *pair.target, output.target) ||
           is_part_of_unseen_sum(flows.golden(), *pair.golden, output.golden);
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

/// A result of a pair, and how far off it is.
struct FarResult {
    size_t place = 0;
    TensorResult* tensor = nullptr;
    double norm = 0;
};

std::vector<FarResult> results_by_norm(Result& result) {
    std::vector<FarResult> all;
    for (size_t place = 0; place < result.ops.size(); ++place) {
        OpResult& op = result.ops[place];
        if (!op.is_pair()) continue;
        for (TensorResult& tensor : op.tensors)
            if (const auto norm = norm_of(tensor); norm && !has_loss_scale(result, tensor) &&
                                                   tensor.direction == Direction::kOutput &&
                                                   tensor.judgement.verdict != Verdict::kUndefined)
                all.push_back({place, &tensor, *norm});
    }
    return all;
}

/// Whether most of these are far off, and not a few.
bool is_far_behind(std::span<const FarResult> results) {
    const auto far =
        std::ranges::count_if(results, [](const FarResult& each) { return each.norm > kJump / 2; });
    return far >= kFewestBehind &&
           static_cast<double>(far) > kMostBehind * static_cast<double>(results.size());
}

/// Where no finding explains that most results are far off: the first of them. Sums that cancel
/// are far off by themselves, and leave what comes behind as it is, as do negations.
void accuse_first_jump(const PairedFlows* flows, Result& result) {
    const std::vector<FarResult> all = results_by_norm(result);
    double before = 0;
    for (size_t i = 0; i < all.size(); ++i) {
        const FarResult& each = all[i];
        const bool jumps = each.norm > kJump && each.norm > kJumpGrowth * before &&
                           each.tensor->judgement.verdict == Verdict::kInherited;
        const auto has_effect = [&] {
            const double limit = std::max(kChainNoise, kChainGrowth * before);
            return flows == nullptr || !agrees_behind(*flows, result, each.place, limit);
        };
        if (jumps && is_far_behind(std::span(all).subspan(i)) && has_effect()) {
            accuse_pair(each.place,
                        *each.tensor,
                        fmt::format("off by {:.2g} of the norm, and what was compared before by "
                                    "{:.2g} at most, though each side's arithmetic is honest, so "
                                    "that the programs compute something else here, or in what "
                                    "stands before it on one side alone",
                                    each.norm,
                                    before),
                        result);
            return;
        }
        before = std::max(before, each.norm);
    }
}

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
        if (!op.is_pair()) continue;
        TensorResult* output =
            grown && grown->pairs.contains(i) ? worst_inherited(op) : inherited_result(op);
        const auto limit = [&] { return std::max(kChainNoise, kChainGrowth * before); };
        const bool is_paired_by_chance = output != nullptr && flows != nullptr &&
                                         is_of_other_kinds(plan.ops[i]) &&
                                         relative_error(*output) > limit() &&
                                         (is_part_of_unseen_sum(*flows, plan.ops[i], *output) ||
                                          agrees_behind(*flows, result, i, limit()));
        if (is_paired_by_chance) continue;
        if (output != nullptr && relative_error(*output) > limit())
            if (const std::string words = absorbed.words_of_input(i, op, before, limit());
                !words.empty()) {
                accuse_pair(i, *output, words, result);
                return;
            }
        before = std::max(before, worst_error(op, Direction::kInput).value_or(0));
        const bool grows = !grown || grown->pairs.contains(i);
        if (output != nullptr && grows && is_of_other_kinds(plan.ops[i]) &&
            relative_error(*output) >
                (grows_alone(grown, plan.ops[i], i) ? kGrownError : limit())) {
            accuse_pair(i, *output, words_of_result(*output, before), result);
            return;
        }
        before = std::max(before, worst_error(op, Direction::kOutput).value_or(0));
    }
    if (last == plan.ops.size() && result.culprits.empty()) accuse_first_jump(flows, result);
}

}  // namespace npuscope::compare
