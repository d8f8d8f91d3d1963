#include "compare/growth/made_in_order.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "compare/agreement.h"
#include "compare/growth/allowance.h"
#include "compare/growth/bits_in_use.h"
#include "compare/growth/like_runs.h"
#include "compare/growth/module_names.h"
#include "compare/growth/noise_of_products.h"
#include "compare/growth/result_order.h"
#include "compare/origins/gradient_scale.h"
#include "compare/rules/rule.h"
#include "core/naming/backward.h"
#include "core/recording/msprobe/record_name.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// What a chain of other ops in float32 leaves: of sums of many terms.
constexpr int kBitsOfChains = 15;

/// So many results of what may be products, none farther off than that: both sides round operands
/// alike, or not at all. One that is off by rounding was computed, and counts more than one that is
/// equal.
constexpr int kFullResults = 3;
constexpr int kOffByRounding = 2;
constexpr double kFullPrecision = 1e-5;  ///< of the norm
/// Operands that differ by little would be rounded to another number in so many places, and none
/// was: they are not rounded. By chance that happens once in 150 times.
constexpr double kFewestTurns = 5;

/// The largest elements of multiples are as large beside their norms, up to rounding,
/// at most to bfloat16.
constexpr double kSamePeak = 1.0 / 512;

/// Of so many results the largest tells what is small, up to so many roundings of operands.
constexpr size_t kLastResults = 12;
constexpr double kNegligible = 8;
/// The gradient of a bias before a norm is rounding on both sides, which may be nearly as large.
constexpr double kNegligibleOfVectors = 0x1p-15;
constexpr double kNoiseOfVectors = 0.25;
constexpr double kNormOfNothing = 1;
constexpr double kCosineOfMultiple = 0.95;  ///< squared, as the next
constexpr double kCosineOfAlike = 0.75;

/// An error goes on where one of so many next results is off by a quarter of it.
constexpr size_t kNext = 3;
constexpr double kGoesOn = 4;

/// The smaller of each.
Distance nearer(const Distance& one, const Distance& other) {
    return {std::min(one.norm, other.norm),
            std::min(one.peak, other.peak),
            std::min(one.scale, other.scale)};
}

Distance times(const Distance& distance, double factor) {
    return {distance.norm * factor, distance.peak * factor, distance.scale * factor};
}

/// "Module.net.0.Linear" of the record of a call; what others are called.
std::string call_of(const OpResult& op) {
    const auto record = msprobe::parse_record_name(op.id.op);
    if (!record) return op.id.op;
    return std::string(record->base) + (record->pass == "backward" ? "_backward" : "");
}

/// "mm" of "/mm/1".
std::string_view op_at(std::string_view path) {
    path.remove_prefix(std::min<size_t>(1, path.size()));
    return path.substr(0, path.find('/'));
}

class InOrder {
  public:
    InOrder(Result& result, int bits) : result_(result), bits_(bits) {}

    std::vector<MeasuredRun> take() {
        for (const size_t place : result_order(result_))
            take_op(place);
        find_usual();
        if (holds_parameter_gradients_alone(result_) && may_hold_gates())
            for (MeasuredRun& run : runs_)
                run.crosses_gates = run.is_gradient = run.bits <= kBitsOfOperands;
        return std::move(runs_);
    }

  private:
    /// Convolutions and batch norms stand beside gates and pooling, whose own results are missing.
    [[nodiscard]] bool may_hold_gates() const {
        return std::ranges::any_of(result_.ops, [](const OpResult& op) {
            return names_batch_norm(op.id.op) || op.id.op.find("conv") != std::string::npos;
        });
    }

    void take_op(size_t place) {
        OpResult& op = result_.ops[place];
        if (!op.is_pair()) {
            crosses_product_ = crosses_product_ || op_may_hold_products(op.id.op);
            return;
        }
        // Of several ops as one, those that only lead to what is compared.
        for (const auto* also : {&op.also_target, &op.also_golden})
            for (const std::string& path : *also)
                crosses_product_ = crosses_product_ || op_may_hold_products(op_at(path));
        const size_t first = runs_.size();
        const Distance before = before_of(first);
        for (TensorResult& tensor : op.tensors) {
            if (!is_float_result(tensor)) continue;
            MeasuredRun run{.place = place, .tensor = &tensor, .before = before};
            run.out = distance_of(tensor);
            run.largest = tensor.sums.max_d;
            if (has_loss_scale(result_, tensor)) {
                TensorResult unscaled = tensor;
                unscaled.sums = without_loss_scale(result_, tensor);
                run.out = distance_of(unscaled);
                run.largest = unscaled.sums.max_d;
            }
            run.entry.is_known = false;
            run.before.take(distance_of_same(tensor.sums));
            if (const auto found = of_negligible_.find(tensor.sums.pairs);
                found != of_negligible_.end() && may_be_made_of_negligible(run))
                run.before.take(found->second);
            const bool is_of_vector = is_backward(op.id.op) && tensor.shape.size() == 1;
            const std::string name = call_of(op);
            const bool is_share = !is_backward(name) && names_share(name);
            if (!is_share && (is_of_vector || !may_hold_products(name) || holds_others(name))) {
                const bool is_sum = is_of_vector || names_reduction(name);
                run.entry.sum = sum_of_last(first, is_sum, tensor.sums.pairs);
            }
            if (is_made_of_nothing(run)) run.before.take(run.out);
            // A loss alone: the network is before it.
            crosses_product_ |= runs_.empty() && result_.by_calls && tensor.sums.numel == 1;
            runs_.push_back(std::move(run));
            behind_product_.push_back(crosses_product_);
        }
        crosses_product_ = false;
        for (size_t i = first; i < runs_.size(); ++i) {
            const MeasuredRun& run = runs_[i];
            negligible_.push_back(is_negligible(first, run));
            if (negligible_.back()) {
                runs_[i].before.take(run.out);
                of_negligible_[run.tensor->sums.pairs].take(run.out);
                negligible_names_.insert(name_of(run));
            }
            Distance& same = same_[key_of(run.tensor->sums)];
            is_repeated_.push_back(same.norm == run.out.norm && run.out.norm > 0);
            same.take(run.out);
            if (!is_nothing(run.out)) continue;
            double& largest = nothing_[run.tensor->sums.pairs];
            largest = std::max(largest, run.largest);
        }
    }

    /// Of a result that nothing was measured before: training was at work on both sides.
    [[nodiscard]] bool is_state(const MeasuredRun& run) const {
        return result_.by_calls && names_state(result_.ops[run.place].id.op);
    }

    /// Whether the golden is zero but for rounding, which the target's may be far above.
    static bool is_nothing(const Distance& out) { return out.norm >= kNormOfNothing; }

    /// A gradient of a parameter is made of no other; that of the same one in another layer is as
    /// small.
    [[nodiscard]] bool may_be_made_of_negligible(const MeasuredRun& run) const {
        return !result_.by_calls || !names_parameter_gradient(result_.ops[run.place].id.op) ||
               negligible_names_.contains(name_of(run));
    }

    /// Whether an earlier result of as many elements was zero but for rounding, and farther off: of
    /// gradients that cancel an optimizer makes squares.
    [[nodiscard]] bool is_made_of_nothing(const MeasuredRun& run) const {
        const auto found = nothing_.find(run.tensor->sums.pairs);
        return is_nothing(run.out) && found != nothing_.end() && run.largest <= found->second;
    }

    static double root_mean_square(double squares, int64_t numel) {
        return std::sqrt(squares / static_cast<double>(std::max<int64_t>(1, numel)));
    }

    /// Whether both sides' elements are as small beside those of the last results as what rounding
    /// leaves of sums that cancel (the gradient of a bias of keys). Nothing but what has as many
    /// elements is made of that.
    [[nodiscard]] bool is_negligible(size_t count, const MeasuredRun& run) const {
        const bool is_vector = run.tensor->shape.size() == 1;
        if (!std::isfinite(run.out.norm) || is_multiple(run) ||
            run.out.norm < (is_vector ? kNoiseOfVectors : kNormOfNothing))
            return false;
        double usual = 0;
        for (size_t i = count - std::min(count, kLastResults); i < count; ++i) {
            const Sums& sums = runs_[i].tensor->sums;
            if (is_gradient(runs_[i]) == is_gradient(run))
                usual = std::max(usual, root_mean_square(sums.gg, sums.pairs));
        }
        const Sums& sums = run.tensor->sums;
        const bool is_noise = is_nothing(run.out) || !is_alike(run);
        const double limit = is_noise
                                 ? kNegligible * rounding_to(std::min(bits_, kBitsOfOperands)).norm
                                 : kNegligibleOfVectors;
        return root_mean_square(std::max(sums.tt, sums.gg), sums.pairs) <= limit * usual;
    }

    [[nodiscard]] bool is_gradient(const MeasuredRun& run) const {
        return names_gradient(call_of(result_.ops[run.place]));
    }

    /// What rounding leaves on both sides is not alike, and no multiple of each other.
    static bool is_multiple(const MeasuredRun& run) {
        return cosine_squared(run.tensor->sums) > kCosineOfMultiple;
    }
    static bool is_alike(const MeasuredRun& run) {
        return cosine_squared(run.tensor->sums) > kCosineOfAlike;
    }

    /// How many elements there are, and the golden's largest, of its norm.
    static std::pair<int64_t, double> key_of(const Sums& sums) {
        return {sums.pairs, sums.gg > 0 ? sums.max_abs_g / std::sqrt(sums.gg) : 0};
    }

    /// Of a result that held the same golden numbers, or a multiple of them.
    [[nodiscard]] Distance distance_of_same(const Sums& sums) const {
        const auto [pairs, peak] = key_of(sums);
        const auto found = same_.lower_bound({pairs, peak * (1 - kSamePeak)});
        if (found == same_.end() || found->first.first != pairs ||
            found->first.second > peak * (1 + kSamePeak))
            return {};
        return found->second;
    }

    /// The worst of the first `count` results, of what goes on.
    [[nodiscard]] Distance before_of(size_t count) {
        for (; settled_ + kNext < count; ++settled_)
            worst_.take(going_on(settled_));
        Distance before = worst_;
        for (size_t i = settled_; i < count; ++i)
            if (!negligible_[i]) before.take(runs_[i].out);
        return before;
    }

    /// What is exact (the tables of positions) tells nothing of what goes on beside it, but of what
    /// may be rounding alone.
    [[nodiscard]] Distance going_on(size_t at) const {
        if (negligible_[at]) return {};
        Distance next;
        size_t seen = 0;
        for (size_t i = at + 1; i < runs_.size() && seen < kNext; ++i) {
            next.take(runs_[i].out);
            seen += runs_[i].out.norm > 0 || runs_[at].out.norm > kNoiseOfVectors ? 1 : 0;
        }
        return seen < kNext ? runs_[at].out : nearer(runs_[at].out, times(next, kGoesOn));
    }

    [[nodiscard]] bool holds_products(const MeasuredRun& run) const {
        const std::string name = call_of(result_.ops[run.place]);
        return result_.by_calls ? may_hold_products(name) : op_may_hold_products(name);
    }

    /// At most what rounding makes of one op.
    [[nodiscard]] double most_of_like(const MeasuredRun& run) const {
        if (bits_ <= kBitsOfOperands) return kAgreement;
        return rounding_to(holds_products(run) ? kBitsOfOperands : kBitsOfChains).norm;
    }

    /// Whether it is a module that the last one made is inside of.
    [[nodiscard]] bool holds_others(std::string_view name) const {
        if (runs_.empty()) return false;
        const std::string_view last = result_.ops[runs_.back().place].id.op;
        return last.starts_with(name) && last.substr(name.size()).starts_with('.');
    }

    /// Of magnitudes: of the last results of as many elements (of a sum, of as many or more), the
    /// largest. A sum of them, or what a gate leaves, may be small beside it.
    [[nodiscard]] double sum_of_last(size_t count, bool is_sum, int64_t pairs) const {
        double sum = 0;
        for (size_t i = count - std::min(count, kNext); i < count; ++i) {
            const Sums& sums = runs_[i].tensor->sums;
            if (sums.max_abs_g >= kMasked) continue;
            if (sums.pairs == pairs || (sums.pairs > pairs && is_sum))
                sum = std::max(sum, std::sqrt(static_cast<double>(sums.pairs) * sums.gg));
        }
        return sum;
    }

    void find_usual() {
        are_coarse_ =
            are_products_coarse(runs_, [&](const MeasuredRun& run) { return holds_products(run); });
        LikeRuns like;
        for (const MeasuredRun& run : runs_)
            like.add(name_of(run), added_in_order(run));
        double worst = 0;
        int full = 0;
        double turns = 0;
        for (size_t i = 0; i < runs_.size(); ++i) {
            MeasuredRun& run = runs_[i];
            worst = std::max(worst, run.before.norm);
            run.bits = bits_;
            if (const auto usual = like.usual(name_of(run), added_in_order(run)))
                run.like = std::min(most_of_like(run), *usual);
            if (!holds_products(run) && !behind_product_[i]) continue;
            const bool may_turn = run.before.norm > 0 && turns < kFewestTurns;
            if (full < kFullResults || worst > kFullPrecision || may_turn) take_operands(run);
            if (is_repeated_[i]) continue;
            full += run.out.norm == 0 ? 1 : kOffByRounding;
            turns += expected_turns(run);
        }
    }

    /// How many of its operands, of as many elements and no farther off than it is itself, would be
    /// rounded to another number.
    static double expected_turns(const MeasuredRun& run) {
        return static_cast<double>(run.tensor->sums.pairs) *
               std::ldexp(std::min(run.before.norm, run.out.norm), kBitsOfOperands);
    }

    /// Its operands may be rounded.
    void take_operands(MeasuredRun& run) const {
        run.bits = std::min(bits_, is_state(run) ? kBitsOfBFloat16 : kBitsOfOperands);
        if (run.entry.sum == 0 && (are_coarse_ || is_noise(run)))
            run.bits = std::min(bits_, kBitsOfBFloat16);
        run.may_cut_off = true;
    }

    [[nodiscard]] std::string name_of(const MeasuredRun& run) const {
        return without_numbers(result_.ops[run.place].id.op);
    }

    Result& result_;
    int bits_;
    std::vector<MeasuredRun> runs_{};
    std::map<std::pair<int64_t, double>, Distance> same_{};
    std::unordered_map<int64_t, double> nothing_{};  ///< max|t-g| of such, by elements
    bool crosses_product_ = false;        ///< one side alone made a product behind the last run
    bool are_coarse_ = false;             ///< operands of products are rounded to 8 bits
    std::vector<bool> behind_product_{};  ///< of runs_
    std::vector<bool> negligible_{};      ///< of runs_
    std::vector<bool> is_repeated_{};     ///< of runs_: the same numbers as before, once more
    std::unordered_map<int64_t, Distance> of_negligible_{};  ///< by elements
    std::set<std::string> negligible_names_{};               ///< without numbers
    size_t settled_ = 0;  ///< so many results have all their next ones in worst_
    Distance worst_{};
};

}  // namespace

bool is_float_result(const TensorResult& tensor) {
    return tensor.direction == Direction::kOutput && !tensor.metrics.empty() && is_floating(tensor);
}

bool is_beyond_its_tolerance(const TensorResult& tensor) {
    const Bound& bound = tensor.judgement.bound;
    if (tensor.judgement.verdict != Verdict::kFail || bound.given || bound.exact || bound.limit ||
        tensor.sums.nonfinite_differs > 0)
        return false;
    const Evidence evidence{.sums = tensor.sums, .bound = bound};
    return evidence.beyond_bound() && tensor.judgement.rule == evidence.bound_text();
}

std::vector<MeasuredRun> made_in_order(Result& result, int bits) {
    return InOrder(result, bits).take();
}

}  // namespace npuscope::compare
