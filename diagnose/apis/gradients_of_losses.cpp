// Gradients of losses whose last autograd node is a step behind the loss itself: a mean, a sum.
#include <algorithm>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

/// ATen's numbers.
enum class Reduction : uint8_t { kNone, kMean, kSum };

double number_of(const GradientQuery& query, std::string_view name, double otherwise) {
    const Operand given = query.forward.argument(name);
    return given.is_number() ? given.number->numbers.front() : otherwise;
}

Reduction reduction_of(const GradientQuery& query) {
    return static_cast<Reduction>(number_of(query, "reduction", 1));
}

/// Of one number that was a mean or a sum of as many elements as were made.
ApiCall of_mean_or_sum(const GradientQuery& query, const SourceTensor& made) {
    const SourceTensor gradient =
        expanded(reshaped(query.gradient(), Shape(made.shape.size(), 1)), made.shape);
    if (reduction_of(query) == Reduction::kSum)
        return made_by("clone", {{"self", Operand::of(gradient)}}, made);
    return made_by("div",
                   {{"self", Operand::of(gradient)},
                    {"other", Operand::of(static_cast<double>(numel_of(made.shape)))}},
                   made);
}

/// The same for every operand.
std::vector<ApiCall> handed_to_all(const GradientQuery& query) {
    std::vector<ApiCall> calls;
    for (const SourceTensor& made : query.made)
        calls.push_back(made_by("clone", {{"self", Operand::of(query.gradient())}}, made));
    return calls;
}

ApiCall negated(const GradientQuery& query, const SourceTensor& made) {
    return made_by("neg", {{"self", Operand::of(query.gradient())}}, made);
}

ApiCall quotient(const GradientQuery& query, double divisor, const SourceTensor& made) {
    return made_by(
        "div", {{"self", Operand::of(query.gradient())}, {"other", Operand::of(divisor)}}, made);
}

/// Shares of classes as the target: sums over products with them.
std::vector<ApiCall> gradients_by_shares(const GradientQuery& query, const Shape& shape) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    if (reduction_of(query) != Reduction::kMean) return {negated(query, *made)};
    const int64_t classes = shape.at(shape.size() == 1 ? 0 : 1);
    return {quotient(
        query, static_cast<double>(numel_of(shape) / std::max<int64_t>(1, classes)), *made)};
}

}  // namespace

std::vector<ApiCall> gradients_of_l1_loss(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    if (reduction_of(query) != Reduction::kNone) return {of_mean_or_sum(query, *made)};
    const SourceTensor& self = query.operand("self");
    const SourceTensor& target = query.operand("target");
    if (self.shape != target.shape) not_computed("such an l1_loss is not computed");
    return {made_by("gradient_of_distance",
                    {{"grad", Operand::of(query.gradient())},
                     {"self", Operand::of(self)},
                     {"target", Operand::of(target)}},
                    *made)};
}

std::vector<ApiCall> gradients_of_kl_div(const GradientQuery& query) {
    if (reduction_of(query) != Reduction::kNone) {
        const SourceTensor* made = query.at(0);
        if (made == nullptr) return {};
        return {of_mean_or_sum(query, *made)};
    }
    if (number_of(query, "log_target", 0) != 0)
        not_computed("the gradient of kl_div of logarithms is not computed");
    const SourceTensor* made = query.at(1);
    if (made == nullptr) return {};
    return {negated(query, *made)};
}

std::vector<ApiCall> gradients_of_batch_mean(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    return {quotient(query, number_of(query, "count", 1), *made)};
}

std::vector<ApiCall> gradients_of_logit_loss(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    const bool is_mean = reduction_of(query) == Reduction::kMean;
    std::vector<NamedOperand> arguments = {
        {"grad", Operand::of(query.gradient())},
        {"self", Operand::of(query.operand("self"))},
        {"target", Operand::of(query.operand("target"))},
        {"count", Operand::of(is_mean ? static_cast<double>(numel_of(made->shape)) : 1.0)}};
    for (const char* name : {"weight", "pos_weight"})
        if (const Operand given = query.forward.argument(name); !given.is_none())
            arguments.push_back({name, given});
    return {made_by("gradient_of_cross_entropy_with_logits", arguments, *made)};
}

/// Its last node is that of the negative log likelihood, which does not ask for what it was given
/// but for its shape; of smoothed labels a sum of two losses.
std::vector<ApiCall> gradients_of_cross_entropy(const GradientQuery& query) {
    SourceTensor self = query.operand("self");
    SourceTensor target = query.operand("target");
    if (target.shape == self.shape && is_float(dtype_of(target)))
        return gradients_by_shares(query, self.shape);
    if (number_of(query, "label_smoothing", 0) != 0) return handed_to_all(query);
    if (self.shape.size() == 3 || self.shape.size() > 4) {
        // Images of one row, which is a view.
        if (reduction_of(query) == Reduction::kNone && query.at(0) != nullptr)
            return {made_by("reshape",
                            {{"self", Operand::of(query.gradient())},
                             {"shape", Operand::of(query.at(0)->shape)}},
                            *query.at(0))};
        const int64_t rows = self.shape[0];
        const int64_t places = numel_of(self.shape) / std::max<int64_t>(1, rows * self.shape[1]);
        self = reshaped(self, {rows, self.shape[1], 1, places});
        target = reshaped(target, {rows, 1, places});
    }
    std::vector<NamedOperand> arguments = {
        {"self", Operand::of(self)},
        {"target", Operand::of(target)},
        {"reduction", Operand::of(static_cast<int64_t>(reduction_of(query)))},
        {"ignore_index",
         Operand::of(static_cast<int64_t>(number_of(query, "ignore_index", -100)))}};
    if (const Operand weight = query.forward.argument("weight"); !weight.is_none())
        arguments.push_back({"weight", weight});
    const ApiCall forward =
        bind_named(self.shape.size() == 4 ? "nll_loss2d_forward" : "nll_loss_forward", arguments);
    return gradient_calls({forward, query.given, query.made});
}

}  // namespace npuscope::diagnose
