#include "compare/growth/results_alone.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "compare/dataflow/counters.h"
#include "compare/growth/allowance.h"
#include "compare/growth/bits_in_use.h"
#include "compare/growth/cancelled_sums.h"
#include "compare/growth/checkpoint.h"
#include "compare/growth/elements_of_pair.h"
#include "compare/growth/made_in_order.h"
#include "compare/growth/module_names.h"
#include "compare/growth/parameter_roles.h"
#include "compare/growth/result_order.h"
#include "compare/growth/turned_off.h"
#include "compare/origins/gradient_scale.h"
#include "compare/rules/rule.h"
#include "core/base/error.h"
#include "core/naming/backward.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Of a side's results: as many in so few bits tell what the rest was made from.
constexpr size_t kOneIn = 4;
constexpr size_t kOneInProducts = 2;

/// Tolerances of 16 bits are wide: within them an error grows that grows by so much more.
constexpr double kGrowthWithin = 2;

/// Of the elements: what rounding turns on or off in the gradient of a gate, and what it exchanges
/// where places are results.
constexpr double kMostTurned = 0.02;
constexpr double kMostPlaces = 0.05;

/// Of a gradient behind a gate: what share is zero on both sides at least, and how many elements
/// may be on one, beside this many times the share of them that is within the noise.
constexpr double kShut = 1.0 / 16;
constexpr double kFewTurned = 2;
constexpr double kNearZero = 2;

/// Of the channels of a norm over so few rows: where these are almost equal it divides by little,
/// and rounding becomes large.
constexpr double kMostOfFewRows = 0.25;
constexpr int64_t kFewRows = 8;

/// Of so many results, the first one among them, nothing is alike: that is no fault in an op.
constexpr double kAlmostAll = 0.9;
constexpr size_t kFewestResults = 4;

struct Format {
    int bits;
    std::string_view name;  ///< a row of all_precisions()
};
constexpr auto kFormats =
    std::to_array<Format>({{kBitsOfBFloat16, "bfloat16"}, {kBitsOfFloat16, "float16"}});

bool is_other_count(const OpResult& op, const TensorResult& tensor) {
    return tensor.direction == Direction::kOutput && !tensor.metrics.empty() &&
           tensor.judgement.verdict == Verdict::kFail && tensor.judgement.bound.exact &&
           is_counter(op.id.op, tensor.dtype, tensor.sums.numel);
}

/// Neither file holds what it was counted from.
void forgive_counters(Result& result) {
    for (OpResult& op : result.ops)
        for (TensorResult& tensor : op.tensors) {
            if (!is_other_count(op, tensor)) continue;
            tensor.judgement = {
                Verdict::kUndefined,
                tensor.judgement.rule + "; a counter, and neither file tells where it began"};
            conclude(op, result.allow_golden_at_fault);
        }
}

/// Of ops that nobody can compute their results tell as much as those that came without inputs.
void take_back_unknown(Result& result) {
    for (OpResult& op : result.ops) {
        bool any = false;
        for (TensorResult& tensor : op.tensors) {
            if (!is_float_result(tensor) || tensor.judgement.verdict != Verdict::kNotProvable ||
                !tensor.split || tensor.split->target ||
                tensor.split->why_not.starts_with(kRandomOp))
                continue;
            tensor.judgement =
                compare::judge({.sums = tensor.sums,
                                .bound = tensor.judgement.bound,
                                .dtype = dtype_from_name(tensor.dtype).value_or(DType::kFloat32)});
            any = true;
        }
        if (any) conclude(op, result.allow_golden_at_fault);
    }
}

/// The bits of one side's results: the fewest that a quarter of them has, or half of its products
/// (autocast rounds these; an optimizer's many results are in float32).
class SideBits {
  public:
    void take(const SourceOp& op) {
        for (const SourceTensor& tensor : op.load()) {
            const auto dtype = dtype_from_name(tensor.dtype);
            if (tensor.direction != Direction::kOutput || !tensor.open || !dtype ||
                !is_float(*dtype))
                continue;
            const auto bits = telling_bits(*tensor.open());
            if (!bits) continue;
            all_.push_back(*bits);
            if (op_may_hold_products(op.id.op)) products_.push_back(*bits);
        }
    }

    [[nodiscard]] int usual() const {
        return std::min(fewest_of(all_, kOneIn), fewest_of(products_, kOneInProducts));
    }

  private:
    /// That one in so many has.
    static int fewest_of(std::vector<int> bits, size_t one_in) {
        if (bits.empty()) return std::numeric_limits<int>::max();
        const auto place = bits.begin() + static_cast<ptrdiff_t>(bits.size() / one_in);
        std::ranges::nth_element(bits, place);
        return *place;
    }

    std::vector<int> all_{};
    std::vector<int> products_{};
};

/// Of both sides' results the fewer bits. What cannot be read was told when it was measured.
int bits_of_both(const Plan& plan) {
    SideBits target;
    SideBits golden;
    for (const OpPair& pair : plan.ops) {
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        try {
            target.take(*pair.target);
            golden.take(*pair.golden);
        } catch (const Error&) {
            continue;
        }
    }
    return std::min(target.usual(), golden.usual());
}

/// How far apart all but the few are that are farthest off, of the golden's norm.
double norm_but_few(const ElementsOfPair& elements, double share) {
    const auto mine = elements.target.as<double>();
    const auto theirs = elements.golden.as<double>();
    std::vector<double> squares(mine.size());
    double size = 0;
    for (size_t i = 0; i < mine.size(); ++i) {
        squares[i] = (mine[i] - theirs[i]) * (mine[i] - theirs[i]);
        size += theirs[i] * theirs[i];
    }
    const auto few = static_cast<ptrdiff_t>(share * static_cast<double>(squares.size())) + 1;
    if (few >= std::ssize(squares)) return std::numeric_limits<double>::infinity();
    std::ranges::nth_element(squares, squares.end() - few);
    const double rest = std::accumulate(squares.begin(), squares.end() - few, 0.0);
    return size > 0 ? std::sqrt(rest / size) : 0;
}

class ResultsAlone {
  public:
    ResultsAlone(const PairedFlows& flows, Result& result)
        : flows_(flows), plan_(flows.plan()), result_(result), bits_(bits_of_both(plan_)) {}

    void judge() {
        const auto format = std::ranges::find(kFormats, bits_, &Format::bits);
        bool is_held = false;
        for (OpResult& op : result_.ops)
            for (TensorResult& tensor : op.tensors)
                if (is_float_result(tensor) && is_beyond_its_tolerance(tensor)) {
                    changed_.push_back(&op);
                    if (format != kFormats.end()) is_held |= hold_to(*format, tensor);
                }
        if (is_held)
            result_.arithmetic.push_back(
                fmt::format("results in float32 are numbers of {}, or were made of such: they are "
                            "held to its tolerance",
                            format->name));
        if (result_.by_calls && holds_parameters_alone(result_))
            doubt_checkpoint(result_);
        else
            judge_in_order();
        for (OpResult* op : changed_)
            conclude(*op, result_.allow_golden_at_fault);
    }

  private:
    /// Whether that is another tolerance.
    static bool hold_to(const Format& format, TensorResult& tensor) {
        const auto row = std::ranges::find(all_precisions(), format.name, &Precision::name);
        Bound bound = tensor.judgement.bound;
        if (row == all_precisions().end() || row->tolerance <= bound.tolerance) return false;
        bound.tolerance = row->tolerance;
        bound.source = fmt::format("{} {:g}", row->name, row->tolerance);
        tensor.judgement =
            compare::judge({.sums = tensor.sums,
                            .bound = bound,
                            .dtype = dtype_from_name(tensor.dtype).value_or(DType::kFloat32)});
        return true;
    }

    void judge_in_order() {
        const std::vector<MeasuredRun> runs = made_in_order(result_, bits_);
        for (const MeasuredRun& run : runs)
            judge_run(run);
        remark_strangers(runs);
        if (!result_.by_calls) judge_places(runs);
    }

    void judge_run(const MeasuredRun& run) {
        Judgement& judgement = run.tensor->judgement;
        const double growth = growth_of(run);
        const bool is_beyond = is_beyond_its_tolerance(*run.tensor);
        if (is_beyond && !(growth <= 1) && judge_cancelled_sum(flows_, run)) return;
        if (is_beyond &&
            (growth <= 1 || is_turned(run) || is_behind_gate(run) || is_of_few_rows(run))) {
            const bool came_off = run.before.norm > kNormGrowth * noise_of(run);
            judgement.verdict = came_off ? Verdict::kInherited : Verdict::kPass;
        } else if (growth > kGrowthWithin && judgement.verdict == Verdict::kPass &&
                   bits_ <= kFormats.back().bits && !judgement.bound.given) {
            judgement.verdict = Verdict::kFail;
            changed_.push_back(&result_.ops[run.place]);
        } else {
            if (is_beyond)
                judgement.rule +=
                    fmt::format("; off by {:.2g} of the norm, what was made before it by {:.2g}{}",
                                run.out.norm,
                                run.before.norm,
                                gap_before(run.place));
            return;
        }
        judgement.rule = fmt::format(
            "off by {:.2g} of the norm; what was made before it and what rounding leaves by {:.2g}",
            run.out.norm,
            unsuspicious(run).norm);
    }

    void remark_strangers(const std::vector<MeasuredRun>& runs) const {
        const auto is_far = [](const MeasuredRun& run) { return run.out.norm > kNothingAlike; };
        const auto far = static_cast<size_t>(std::ranges::count_if(runs, is_far));
        if (runs.size() < kFewestResults || !is_far(runs.front()) ||
            static_cast<double>(far) < kAlmostAll * static_cast<double>(runs.size()))
            return;
        result_.notes.push_back(fmt::format(
            "{} of {} results are nothing like the golden's, from the first one on: did "
            "both have the same input and the same weights?",
            far,
            runs.size()));
    }

    /// Hooks record modules, and not what a network computes between them.
    [[nodiscard]] std::string gap_before(size_t place) const {
        if (!result_.by_calls || place == 0 || result_.ops[place - 1].target.empty() ||
            holds_parameter_gradients_alone(result_))
            return "";
        return fmt::format("; nothing was recorded between {} and it",
                           result_.ops[place - 1].target);
    }

    /// Whether it is a sign, a quotient or the gradient of a gate, and all but the few elements
    /// that rounding turns are near. So is what Adam's first step makes of gradients that are
    /// rounding alone.
    [[nodiscard]] bool is_turned(const MeasuredRun& run) const {
        const std::string& op = result_.ops[run.place].id.op;
        const bool is_step = op.find("addcdiv") != std::string::npos;
        // Nor does an optimizer's first step tell more of a parameter.
        const bool is_updated = result_.by_calls && names_parameter(op);
        const bool is_gate = (is_backward(op) && names_gate(op)) || names_jump(op);
        return (is_gate || is_step || is_updated) && are_most_near(run, kMostTurned);
    }

    /// Whether it is a gradient behind a gate or pooling that was not recorded: many elements are
    /// zero, so few on one side alone as lie within rounding of it, and the others are near.
    [[nodiscard]] bool is_behind_gate(const MeasuredRun& run) const {
        if (!names_gradient(result_.ops[run.place].id.op)) return false;
        try {
            const TurnedOff turned = turned_off(plan_.ops[run.place], *run.tensor);
            const auto numel = static_cast<double>(run.tensor->sums.numel);
            const double noise = unsuspicious(run).norm;
            return turned.share > 0 && turned.both >= kShut &&
                   turned.share * numel <= kFewTurned + kNearZero * noise * numel &&
                   turned.rest_norm <= kNormGrowth * noise;
        } catch (const Error&) {
            return false;
        }
    }

    /// Whether it is of a batch norm over few rows, or its gradient, and most channels are near.
    [[nodiscard]] bool is_of_few_rows(const MeasuredRun& run) const {
        const OpResult& op = result_.ops[run.place];
        const bool are_few = std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
            const Shape& shape = tensor.shape;
            return shape.size() >= 2 && shape[1] > 0 && numel_of(shape) / shape[1] <= kFewRows;
        });
        return are_few && names_batch_norm(op.id.op) && are_most_near(run, kMostOfFewRows);
    }

    [[nodiscard]] bool are_most_near(const MeasuredRun& run, double but) const {
        try {
            const auto elements = unscaled_elements_of(plan_.ops[run.place], *run.tensor);
            return elements && norm_but_few(*elements, but) <= kNormGrowth * unsuspicious(run).norm;
        } catch (const Error&) {
            return false;
        }
    }

    /// Places of elements (the indices of pooling) that were chosen among what is off by rounding.
    void judge_places(const std::vector<MeasuredRun>& runs) {
        auto next = runs.begin();
        double before = 0;
        for (size_t place = 0; place < result_.ops.size(); ++place) {
            for (; next != runs.end() && next->place <= place; ++next)
                before = std::max({before, next->before.norm, next->out.norm});
            if (before == 0) continue;
            for (TensorResult& tensor : result_.ops[place].tensors) {
                Judgement& judgement = tensor.judgement;
                const auto numel = static_cast<double>(tensor.sums.numel);
                if (tensor.direction != Direction::kOutput || tensor.metrics.empty() ||
                    !judgement.bound.exact || judgement.verdict != Verdict::kFail ||
                    static_cast<double>(tensor.sums.unequal) > kMostPlaces * numel)
                    continue;
                judgement.verdict = Verdict::kOrderSensitive;
                judgement.rule =
                    fmt::format("{} of {} elements differ; what was made before is off by rounding",
                                tensor.sums.unequal,
                                tensor.sums.numel);
                changed_.push_back(&result_.ops[place]);
            }
        }
    }

    const PairedFlows& flows_;
    const Plan& plan_;
    Result& result_;
    int bits_;
    std::vector<OpResult*> changed_{};
};

}  // namespace

void judge_results_alone(const PairedFlows& flows, Result& result) {
    if (flows.plan().is_related) return;
    take_back_unknown(result);
    forgive_counters(result);
    const bool any = std::ranges::any_of(result.ops, [](const OpResult& op) {
        return std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
            return is_float_result(tensor) && (is_beyond_its_tolerance(tensor) ||
                                               size_of(*dtype_from_name(tensor.dtype)) == 2);
        });
    });
    if (!any) return;
    take_scale_of_gradients(result);
    ResultsAlone(flows, result).judge();
}

}  // namespace npuscope::compare
