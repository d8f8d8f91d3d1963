#include "compare/origins/loss_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "compare/agreement.h"
#include "compare/origins/gradient_scale.h"
#include "compare/programs/mark_span.h"
#include "compare/random_ops.h"
#include "compare/relate/kinship.h"
#include "compare/relate/loss_multiple.h"
#include "compare/rules/rule.h"
#include "core/base/error.h"
#include "core/naming/api_names.h"
#include "core/naming/in_place.h"
#include "core/naming/unread.h"

namespace npuscope::compare {

namespace {

using dumpfile::Direction;

/// Cosine, squared, of a tensor and a multiple of it.
constexpr double kAlike = 0.9;

constexpr auto kOpsOfScalers = std::to_array<std::string_view>({
#define LOSS_SCALE_OP(name) name,
#include "compare/origins/loss_scale_ops.def"
#undef LOSS_SCALE_OP
});

/// Of a multiplication of one number by a scale.
struct Scaling {
    double scale = 0;
    bool of_one = false;  ///< the gradient of the loss itself, which the backward pass begins with
};

bool is_scale(double value) {
    int exponent = 0;
    return value >= kLeastLossScale && std::isfinite(value) && std::frexp(value, &exponent) == 0.5;
}

/// Or divides; its gradient as well, of a function's record.
bool multiplies(const SourceOp& op) {
    constexpr auto kFunctions = std::to_array<std::string_view>(
        {"mul", "mul_", "__mul__", "__rmul__", "__imul__", "div", "div_", "__truediv__"});
    const auto record = parse_api_record(op.path);
    return step_of(op.op()) == OpStep::kScaling ||
           (record && std::ranges::find(kFunctions, record->function()) != kFunctions.end());
}

/// What an op took in; of results alone, what it may have taken in: earlier results.
std::vector<const TracedTensor*> taken_in(const Side& side, const SourceOp& op) {
    const auto index = static_cast<size_t>(&op - side.source.ops.data());
    const auto wanted = side.source.may_have_inputs() ? Direction::kInput : Direction::kOutput;
    const std::span<const TracedTensor> tensors =
        side.source.may_have_inputs() ? side.flow.of_op(index)
                                      : std::span(side.flow.tensors).first(side.flow.first[index]);
    std::vector<const TracedTensor*> taken;
    for (const TracedTensor& tensor : tensors)
        if (tensor.direction == wanted) taken.push_back(&tensor);
    return taken;
}

std::optional<Scaling> scaling_of(const Side& side, const SourceOp& op) {
    if (!multiplies(op)) return std::nullopt;
    std::vector<double> inputs;
    std::vector<double> outputs;
    for (const TracedTensor& tensor : side.of_op(op)) {
        if (!tensor.content || tensor.content->numel != 1) return std::nullopt;
        if (tensor.direction == Direction::kOutput) outputs.push_back(tensor.content->first);
    }
    if (outputs.size() != 1) return std::nullopt;
    if (!side.source.may_have_inputs()) inputs.push_back(1);  // the gradient of the loss
    for (const TracedTensor* tensor : taken_in(side, op))
        if (tensor->content && tensor->content->numel == 1)
            inputs.push_back(tensor->content->first);
    for (const double input : inputs)
        if (is_scale(outputs.front() / input))
            return Scaling{.scale = outputs.front() / input, .of_one = input == 1};
    // The loss itself may leave the range of float16, which changes none of its gradients.
    if (!std::isinf(outputs.front())) return std::nullopt;
    if (op.facts)
        for (const PlainArgument& argument : op.facts().arguments)
            inputs.insert(inputs.end(), argument.numbers.begin(), argument.numbers.end());
    const auto scale = std::ranges::find_if(inputs, is_scale);
    if (scale == inputs.end()) return std::nullopt;
    return Scaling{.scale = *scale, .of_one = false};
}

/// Of results that are 0 any factor is told.
bool begins_with_zeros(const Side& side, const SourceOp& op) {
    return std::ranges::all_of(side.of_op(op), [](const TracedTensor& tensor) {
        return tensor.direction == Direction::kInput ||
               (tensor.content && tensor.content->first == 0);
    });
}

/// But for what rounding to a subnormal number of float16 makes of the smaller one.
bool is_multiple(double larger, double smaller, double scale) {
    constexpr double kLeastNormal = 0x1p-14;
    constexpr double kHalfOfLeast = 0x1p-25;
    const double rounding = std::abs(smaller) < kLeastNormal ? kHalfOfLeast * scale : 0;
    return std::abs(larger - smaller * scale) <= rounding;
}

/// Whether it divides what came in by the scale, as far as the first elements tell.
bool undoes(double scale, const Side& side, const SourceOp& op) {
    if (!multiplies(op)) return false;
    const std::vector<const TracedTensor*> taken = taken_in(side, op);
    return std::ranges::all_of(side.of_op(op), [&](const TracedTensor& out) {
        return out.direction == Direction::kInput ||
               std::ranges::any_of(taken, [&](const TracedTensor* in) {
                   return in->content && out.content && in->content->numel == out.content->numel &&
                          is_multiple(in->content->first, out.content->first, scale);
               });
    });
}

/// The same of all elements, where the first ones are 0. Complexity: reads the last few that it may
/// have divided.
bool undoes_throughout(double scale, const Side& side, const SourceOp& op) {
    constexpr size_t kLast = 8;
    const auto read = [&](const TracedTensor& tensor) {
        const auto index = static_cast<size_t>(&tensor - side.flow.tensors.data());
        return open_traced(side.source, side.flow, index)->whole();
    };
    const std::vector<const TracedTensor*> taken = taken_in(side, op);
    try {
        for (const TracedTensor& out : side.of_op(op)) {
            if (out.direction == Direction::kInput || !out.content) continue;
            const Tensor divided = read(out);
            size_t looked_at = 0;
            for (auto in = taken.rbegin(); in != taken.rend() && looked_at < kLast; ++in) {
                const auto& content = (*in)->content;
                if (!content || content->numel != out.content->numel ||
                    content->first != out.content->first)
                    continue;
                ++looked_at;
                if (loss_multiple(read(**in), divided) == scale) return true;
            }
        }
    } catch (const Error&) {
        return false;
    }
    return false;
}

/// The scale itself and how long it was not changed, of nothing; or one over it.
bool makes_a_number(const Side& side, const SourceOp& op) {
    const auto tensors = side.of_op(op);
    double product = 1;
    for (const TracedTensor& tensor : tensors) {
        if (!tensor.content || tensor.content->numel != 1) return false;
        product *= tensor.content->first;
    }
    const auto is_output = [](const TracedTensor& each) {
        return each.direction == Direction::kOutput;
    };
    return !tensors.empty() &&
           (std::ranges::all_of(tensors, is_output) || (tensors.size() == 2 && product == 1));
}

/// Whether it writes over what no op made: a parameter, or what an optimizer keeps.
bool updates(const Side& side, const SourceOp& op) {
    const auto tensors = side.of_op(op);
    const bool in_place = calculates_in_place(op.op());
    return std::ranges::any_of(tensors, [&](const TracedTensor& in) {
        const auto dtype = dtype_from_name(in.dtype);
        return in.direction == Direction::kInput && in.given && dtype && is_float(*dtype) &&
               !is_unread(op.id.op, in.argument) &&
               (in_place || std::ranges::any_of(tensors, [&](const TracedTensor& out) {
                    return out.direction == Direction::kOutput &&
                           writes_over(op.id.op, in.argument, out.argument);
                }));
    });
}

/// Whether an update takes in what is still so many times the other side's: nobody divided it.
bool reaches_an_update(
    double scale, bool of_target, const Side& side, const Plan& plan, const Result& result) {
    const auto is_scaled = [&](const TensorResult& tensor) {
        const Sums& sums = tensor.sums;
        const double ratio = of_target ? sums.tt / sums.gg : sums.gg / sums.tt;
        // The gradient of what moves nothing, a bias before a batch norm, is rounding, of any size.
        const bool is_multiple = cosine_squared(sums) > kAlike;
        return tensor.direction == Direction::kInput && !tensor.metrics.empty() && is_multiple &&
               ratio > scale;
    };
    for (size_t place = 0; place < plan.ops.size(); ++place) {
        const OpPair& pair = plan.ops[place];
        if (pair.target == nullptr || pair.golden == nullptr) continue;
        if (updates(side, of_target ? *pair.target : *pair.golden) &&
            std::ranges::any_of(result.ops[place].tensors, is_scaled))
            return true;
    }
    return false;
}

/// The scale by which ops that only one side has multiply its loss.
class LossScale {
  public:
    LossScale(const Side& side, std::vector<const SourceOp*> Parting::*own)
        : side_(side), own_(own) {}

    void find(const std::vector<Parting>& partings) {
        bool is_loss_scaled = false;
        for (const Parting& parting : partings)
            for (const SourceOp* op : parting.*own_) {
                const auto scaling = scaling_of(side_, *op);
                if (!scaling || (scale_ && *scale_ != scaling->scale)) continue;
                scale_ = scaling->scale;
                is_loss_scaled |= !scaling->of_one;
            }
        if (!is_loss_scaled) scale_.reset();
    }

    [[nodiscard]] std::optional<double> scale() const { return scale_; }

    /// Of results alone: something is updated, and nothing divides by the scale before.
    [[nodiscard]] bool is_left_open() const {
        if (side_.source.may_have_inputs()) return false;
        const auto updates = [](const SourceOp& op) {
            return calculates_in_place(op.op()) && !multiplies(op) && !may_be_random(op);
        };
        const auto divides = [&](const SourceOp& op) {
            return undoes(*scale_, side_, op) && !begins_with_zeros(side_, op);
        };
        return std::ranges::any_of(side_.source.ops, updates) &&
               std::ranges::none_of(side_.source.ops, divides);
    }

    /// Whether the ops do nothing else.
    [[nodiscard]] bool is_all_of(const Parting& parting) const {
        const auto& own = parting.*own_;
        return own.size() == parting.only_target.size() + parting.only_golden.size() &&
               std::ranges::all_of(own, [&](const SourceOp* op) { return is_part(*op); }) &&
               std::ranges::any_of(own, [&](const SourceOp* op) {
                   return !begins_with_zeros(side_, *op) || undoes_throughout(*scale_, side_, *op);
               });
    }

  private:
    [[nodiscard]] bool is_part(const SourceOp& op) const {
        const auto scaling = scaling_of(side_, op);
        return (scaling && scaling->scale == scale_) || undoes(*scale_, side_, op) ||
               makes_a_number(side_, op) ||
               std::ranges::find(kOpsOfScalers, op.op()) != kOpsOfScalers.end();
    }

    const Side& side_;
    std::vector<const SourceOp*> Parting::*own_;
    std::optional<double> scale_{};
};

/// What is nothing but as many times the other side's has its origin.
void forget_scaled(Result& result) {
    std::erase_if(result.culprits, [&](const Culprit& culprit) {
        if (culprit.kind != CulpritKind::kTensor) return false;
        OpResult& op = result.ops[culprit.op];
        const auto input = std::ranges::find(op.tensors, culprit.tensor, &TensorResult::target);
        if (input == op.tensors.end() || !has_loss_scale(result, *input)) return false;
        input->judgement.verdict = Verdict::kInherited;
        op.from_nothing = false;
        conclude(op, result.allow_golden_at_fault);
        return true;
    });
}

/// Of results alone, which nothing computes: they are compared without the scale.
void divide_by_scale(Result& result) {
    for (OpResult& op : result.ops) {
        bool any = false;
        for (TensorResult& tensor : op.tensors) {
            if (tensor.direction != Direction::kOutput || tensor.judgement.bound.exact ||
                !is_nearer_by_loss_scale(result, tensor))
                continue;
            tensor.sums = without_loss_scale(result, tensor);
            tensor.judgement =
                judge({.sums = tensor.sums,
                       .bound = tensor.judgement.bound,
                       .dtype = dtype_from_name(tensor.dtype).value_or(DType::kFloat32)});
            any = true;
        }
        if (any) conclude(op, result.allow_golden_at_fault);
    }
}

/// Of recordings of calls, each that one side alone has: where they part is not told.
std::vector<Parting> one_sided_calls(const Plan& plan, const Result& result) {
    std::vector<Parting> calls;
    if (!result.by_calls) return calls;
    for (const OpPair& pair : plan.ops) {
        Parting parting;
        if (pair.golden == nullptr && pair.target->unmatched.empty())
            parting.only_target.push_back(pair.target);
        if (pair.target == nullptr && pair.golden->unmatched.empty())
            parting.only_golden.push_back(pair.golden);
        if (!parting.is_empty()) calls.push_back(std::move(parting));
    }
    return calls;
}

/// By how much the pair multiplies on either side, which may be as much; empty where it does not.
std::optional<std::pair<Scaling, Scaling>> scales_of(const PairedFlows& flows, const OpPair& pair) {
    if (pair.target == nullptr || pair.golden == nullptr) return std::nullopt;
    const auto mine = scaling_of(flows.target(), *pair.target);
    const auto theirs = scaling_of(flows.golden(), *pair.golden);
    return mine && theirs ? std::optional(std::pair(*mine, *theirs)) : std::nullopt;
}

/// Of programs that both scale their loss, one by more.
void take_two_scales(const PairedFlows& flows, Plan& plan, Result& result) {
    std::optional<std::pair<double, double>> scales;
    std::vector<size_t> places;
    for (size_t place = 0; place < plan.ops.size(); ++place)
        if (const auto found = scales_of(flows, plan.ops[place])) {
            const std::pair both(found->first.scale, found->second.scale);
            // The loss is scaled alike, and its gradient is not, or each op otherwise.
            if (both.first == both.second || (scales && scales != both)) return;
            scales = both;
            places.push_back(place);
        }
    if (!scales) return;
    const double ratio = scales->first / scales->second;
    const bool of_target = ratio > 1;
    if (reaches_an_update(of_target ? ratio : 1 / ratio,
                          of_target,
                          of_target ? flows.target() : flows.golden(),
                          plan,
                          result))
        return;
    result.loss_scale = ratio;
    for (const size_t place : places) {
        OpResult& op = result.ops[place];
        for (TensorResult& tensor : op.tensors)
            if (is_finding(tensor.judgement.verdict) && tensor.split && tensor.split->target &&
                tensor.split->target->ratio <= 1)
                tensor.judgement = {Verdict::kInherited,
                                    fmt::format("scaled by {:g}, and by {:g} in the golden",
                                                scales->first,
                                                scales->second)};
        conclude(op, result.allow_golden_at_fault);
    }
    forget_scaled(result);
    result.notes.push_back(
        fmt::format("the target multiplies its loss by {:g} and the golden by {:g}, as mixed "
                    "precision does: their gradients differ as much until they are divided by it",
                    scales->first,
                    scales->second));
}

}  // namespace

void take_loss_scale(Plan& plan, const Traced& traced, Result& result) {
    std::vector<Parting> calls = one_sided_calls(plan, result);
    std::vector<Parting>& partings = plan.partings.empty() ? calls : plan.partings;
    // The gradients themselves may have told it.
    if (!traced.flows || result.loss_scale != 1) return;
    if (traced.has_inputs()) take_two_scales(*traced.flows, plan, result);
    if (partings.empty() || result.loss_scale != 1) return;
    for (const bool of_target : {true, false}) {
        const Side& side = of_target ? traced.flows->target() : traced.flows->golden();
        LossScale scale(side, of_target ? &Parting::only_target : &Parting::only_golden);
        scale.find(partings);
        if (!scale.scale() || scale.is_left_open() ||
            reaches_an_update(*scale.scale(), of_target, side, plan, result))
            continue;
        result.loss_scale = of_target ? *scale.scale() : 1 / *scale.scale();
        if (!traced.has_inputs()) divide_by_scale(result);
        forget_scaled(result);
        const auto places = places_of(plan);
        std::erase_if(partings, [&](const Parting& parting) {
            if (!scale.is_all_of(parting)) return false;
            mark_span(parting, 0, std::nullopt, places, result);
            return true;
        });
        result.notes.push_back(fmt::format(
            "the {} multiplies its loss by {:g}, as mixed precision does: its gradients "
            "are as many times the {}'s until they are divided by it",
            of_target ? "target" : "golden",
            *scale.scale(),
            of_target ? "golden" : "target"));
    }
}

}  // namespace npuscope::compare
