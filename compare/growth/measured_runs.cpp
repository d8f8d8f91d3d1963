#include "compare/growth/measured_runs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/growth/allowance.h"
#include "compare/growth/any_order.h"
#include "compare/growth/bits_in_use.h"
#include "compare/growth/elements_of_pair.h"
#include "compare/growth/like_runs.h"
#include "compare/origins/gradient_scale.h"
#include "core/base/error.h"
#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

/// Ops in a sentence.
constexpr size_t kMostNamed = 6;

using dumpfile::Direction;

/// Of the norm: results of other shapes that are nearer in some order are taken for the same.
constexpr double kGrossOfShapeless = 0.05;

/// What the elements themselves say.
struct Look {
    int bits = 53;         ///< the fewer of both sides'
    bool is_mask = false;  ///< what is infinite is negative, on both sides
};

/// How infinities stand in both sides' elements.
struct Infinities {
    bool any = false;
    bool positive = false;
};

void take_infinities(const ElementSource& elements, Infinities& found) {
    const Tensor all = elements.whole().cast(DType::kFloat64);
    for (const double value : all.as<double>()) {
        found.any = found.any || std::isinf(value);
        found.positive = found.positive || (std::isinf(value) && value > 0);
    }
}

std::optional<SourceTensor> tensor_at(const SourceOp& op, const std::string& path) {
    for (SourceTensor& tensor : op.load())
        if (tensor.path == path) return std::move(tensor);
    return std::nullopt;
}

void look_at(const SourceOp& op, const std::string& path, Infinities* infinities, Look& look) {
    const auto tensor = tensor_at(op, path);
    if (!tensor || !tensor->open) return;
    const auto elements = tensor->open();
    look.bits = std::min(look.bits, bits_in_use(*elements));
    if (infinities != nullptr) take_infinities(*elements, *infinities);
}

Look look_at(const OpPair& pair, const TensorResult& tensor) {
    const bool differs_beyond =
        tensor.sums.nonfinite_differs > 0 && tensor.sums.target_nan == tensor.sums.golden_nan;
    Look look;
    Infinities infinities;
    Infinities* const asked = differs_beyond ? &infinities : nullptr;
    try {
        look_at(*pair.target, tensor.target, asked, look);
        look_at(*pair.golden, tensor.golden, asked, look);
    } catch (const Error&) {
        // It was measured before.
    }
    look.is_mask = infinities.any && !infinities.positive;
    return look;
}

/// Ops of one kind have one scale: of a result that was found to be so many times the golden's, but
/// for the scale of the loss.
Distance distance_of_scale(const OpPair& pair, const TensorResult& tensor, const Result& result) {
    if (are_of_two_kinds(pair)) return {};
    for (const TensorTie& tie : pair.ties) {
        if (tie.target.path != tensor.target || tie.golden.path != tensor.golden) continue;
        const double off = std::abs(tie.scale - 1);
        return is_loss_scale(result, tie.scale) ? Distance{} : Distance{off, off, off};
    }
    return {};
}

/// Of the elements that no side masks; none where they cannot be read.
Distance distance_beside_mask(const OpPair& pair, const TensorResult& tensor) {
    const double mask = tensor.sums.max_abs_g / 2;
    TensorResult seen;
    try {
        const auto elements = elements_of(pair, tensor);
        if (!elements) return {};
        const auto mine = elements->target.as<double>();
        const auto theirs = elements->golden.as<double>();
        for (size_t i = 0; i < mine.size(); ++i) {
            if (!(mine[i] > -mask) || !(theirs[i] > -mask)) continue;
            const double off = mine[i] - theirs[i];
            seen.sums.dd += off * off;
            seen.sums.gg += theirs[i] * theirs[i];
            seen.sums.tg += mine[i] * theirs[i];
            seen.sums.max_d = std::max(seen.sums.max_d, std::abs(off));
            seen.sums.max_abs_g = std::max(seen.sums.max_abs_g, std::abs(theirs[i]));
        }
    } catch (const Error&) {
        return {};
    }
    return distance_of(seen);
}

/// Of the norm, beyond what came in.
double added_by(const MeasuredRun& run) {
    const double in = run.entry.worst.norm;
    return run.out.norm > in ? std::sqrt(run.out.norm * run.out.norm - in * in) : 0;
}

class Gathering {
  public:
    Gathering(const Plan& plan,
              const SideDistances& target,
              const SideDistances& golden,
              Result& result)
        : plan_(plan),
          target_(target),
          golden_(golden),
          result_(result),
          paired_(paired_ops(plan)) {}

    std::vector<MeasuredRun> take() {
        Distance before;
        for (size_t place = 0; place < plan_.ops.size(); ++place) {
            const OpPair& pair = plan_.ops[place];
            if (pair.target == nullptr || pair.golden == nullptr) continue;
            Distance made;
            for (TensorResult& tensor : result_.ops[place].tensors) {
                if (tensor.metrics.empty()) {
                    take_shapeless(pair, place, tensor, before);
                    continue;
                }
                MeasuredRun run{.place = place,
                                .tensor = &tensor,
                                .is_input = tensor.direction == Direction::kInput,
                                .is_gradient = is_backward(result_.ops[place].id.op),
                                .before = before};
                if (run.is_input)
                    take_input(std::move(run));
                else
                    take_result(pair, std::move(run), made);
            }
            before.take(made);
        }
        find_usual();
        return std::move(runs_);
    }

  private:
    void take_result(const OpPair& pair, MeasuredRun run, Distance& made) {
        const Look look = look_at(pair, *run.tensor);
        run.bits = look.bits;
        run.out = distance_of(*run.tensor, look.is_mask);
        if (is_masked(*run.tensor)) run.out = distance_beside_mask(pair, *run.tensor);
        run.out.take(distance_of_scale(pair, *run.tensor, result_));
        run.largest = run.tensor->sums.max_d;
        const bool is_other = run.out.norm > kNothingAlike && run.tensor->sums.numel > 1 &&
                              is_by_place(pair, *run.tensor);
        if (!is_other) made.take(run.out);
        take_entry(pair, run);
        runs_.push_back(std::move(run));
    }

    void take_entry(const OpPair& pair, MeasuredRun& run) const {
        std::vector<const SourceOp*> mine = pair.also_target;
        mine.push_back(pair.target);
        std::vector<const SourceOp*> theirs = pair.also_golden;
        theirs.push_back(pair.golden);
        // What the other side's op takes in was made by an op that was not recorded.
        if (!target_.is_input(run.tensor->target)) enter(target_, mine, run);
        if (!golden_.is_input(run.tensor->golden)) enter(golden_, theirs, run);
    }

    void take_shapeless(const OpPair& pair,
                        size_t place,
                        TensorResult& tensor,
                        const Distance& before) {
        if (is_backward(result_.ops[place].id.op) || tensor.direction != Direction::kOutput ||
            !pair.ties.empty() || tensor.target.empty() || tensor.golden.empty())
            return;
        MeasuredRun run{.place = place,
                        .tensor = &tensor,
                        .before = before,
                        .bits = kBitsOfOperands,
                        .largest = std::numeric_limits<double>::infinity(),
                        .in_any_order = true};
        try {
            const auto mine = tensor_at(*pair.target, tensor.target);
            const auto theirs = tensor_at(*pair.golden, tensor.golden);
            if (!mine || !theirs) return;
            const auto distance = distance_in_any_order(*mine, *theirs);
            if (!distance || *distance <= kGrossOfShapeless) return;
            run.out = {*distance, *distance, 0};
        } catch (const Error&) {
            return;
        }
        take_entry(pair, run);
        runs_.push_back(std::move(run));
    }

    /// What an op without partner made, and a pair was given.
    void take_input(MeasuredRun run) {
        run.out = distance_of(*run.tensor, true);
        run.largest = run.tensor->sums.max_d;
        run.bits = kBitsOfOperands;
        for (const SideDistances* side : {&target_, &golden_}) {
            const SourceOp* maker =
                side->maker_of(side == &target_ ? run.tensor->target : run.tensor->golden);
            if (maker == nullptr || paired_.contains(maker)) continue;
            enter(*side, {maker}, run);
            run.crossed.push_back(maker);
        }
        if (!run.crossed.empty()) runs_.push_back(std::move(run));
    }

    void enter(const SideDistances& side,
               const std::vector<const SourceOp*>& ops,
               MeasuredRun& run) const {
        const Entry entry = side.into(ops);
        run.entry.worst.take(entry.worst);
        run.entry.sum = std::max(run.entry.sum, entry.sum);
        run.entry.size = std::max(run.entry.size, entry.size);
        run.entry.is_known = run.entry.is_known && entry.is_known;
        if (&side == &target_) {
            run.entry.given = entry.given;
            run.entry.given_distance = entry.given_distance;
        }
        for (const size_t op : entry.crossed)
            run.crossed.push_back(side.op_at(op));
    }

    /// What is kept in more bits than a quarter of the results and more have was made from these.
    void find_usual() {
        std::vector<int> bits;
        LikeRuns like;
        for (const MeasuredRun& run : runs_) {
            if (run.is_input || run.in_any_order) continue;
            bits.push_back(run.bits);
            like.add(result_.ops[run.place].id.op, added_by(run));
        }
        if (bits.empty()) return;
        std::ranges::sort(bits);
        const double of_values = std::min(kAgreement, usual_of_values());
        for (MeasuredRun& run : runs_) {
            run.bits = std::min(run.bits, bits[bits.size() / 4]);
            if (run.is_input || run.in_any_order) continue;
            // Of few runs nobody knows whether they are products.
            if (const auto usual = like.usual(result_.ops[run.place].id.op, added_by(run)))
                run.like = std::min(kAgreement, *usual);
            else
                run.bits = std::min(run.bits, kBitsOfOperands);
            if (run.is_gradient) run.like = std::max(run.like, of_values);
        }
    }

    /// Of the norm: how far off the results of the forward pass are, the one in the middle.
    /// Gradients are made of some that recorders of gradients leave out.
    [[nodiscard]] double usual_of_values() const {
        std::vector<double> off;
        for (const MeasuredRun& run : runs_)
            if (!run.is_input && !run.in_any_order && !run.is_gradient) off.push_back(run.out.norm);
        if (off.empty()) return 0;
        const auto middle = off.begin() + static_cast<ptrdiff_t>(off.size() / 2);
        std::ranges::nth_element(off, middle);
        return *middle;
    }

    const Plan& plan_;
    const SideDistances& target_;
    const SideDistances& golden_;
    Result& result_;
    std::unordered_set<const SourceOp*> paired_;
    std::vector<MeasuredRun> runs_{};
};

}  // namespace

std::vector<MeasuredRun> measured_runs(const Plan& plan,
                                       const SideDistances& target,
                                       const SideDistances& golden,
                                       Result& result) {
    return Gathering(plan, target, golden, result).take();
}

bool is_by_place(const OpPair& pair, const TensorResult& result) {
    return std::ranges::any_of(pair.ties, [&](const TensorTie& tie) {
        return tie.by_place && tie.target.path == result.target;
    });
}

std::string text_across(const MeasuredRun& run) {
    if (run.crossed.empty()) return "";
    if (run.crossed.size() > kMostNamed) {
        const auto [first, last] =
            std::ranges::minmax(run.crossed, {}, [](const SourceOp* op) { return op->id.seqid; });
        return fmt::format(
            ", through {} ops, {} to {}", run.crossed.size(), first->path, last->path);
    }
    std::string text;
    for (const SourceOp* op : run.crossed)
        text += (text.empty() ? ", through " : ", ") + op->path;
    return text;
}

}  // namespace npuscope::compare
