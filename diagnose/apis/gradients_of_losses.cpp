// Gradients of losses whose last autograd node is a step behind the loss itself: a mean, a sum.
#include <algorithm>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

/// ATen's numbers.
enum class Reduction : uint8_t { kNone, kMean, kSum };

Reduction reduction_of(const GradientQuery& query) {
    return static_cast<Reduction>(query.number("reduction", 1));
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

/// What a mean over as many elements as were made divides by.
double divisor_of(const GradientQuery& query, const SourceTensor& made) {
    return reduction_of(query) == Reduction::kMean ? static_cast<double>(numel_of(made.shape)) : 1;
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
    const int64_t places = numel_of(shape) / std::max<int64_t>(1, classes);
    return {quotient(query, static_cast<double>(places), *made)};
}

std::vector<ApiCall> gradients_of_difference(const GradientQuery& query) {
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(0); made != nullptr)
        calls.push_back(made_by("clone", {{"self", Operand::of(query.gradient())}}, *made));
    if (const SourceTensor* made = query.at(1); made != nullptr)
        calls.push_back(negated(query, *made));
    return calls;
}

/// exp(target) * (target - self).
std::vector<ApiCall> gradients_of_product_with_exponential(const GradientQuery& query) {
    std::vector<NamedOperand> arguments = {{"grad", Operand::of(query.gradient())},
                                           {"target", Operand::of(query.operand("target"))}};
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(1); made != nullptr)
        calls.push_back(made_by("gradient_of_log_kl_div", arguments, *made));
    arguments.push_back({"self", Operand::of(query.operand("self"))});
    if (const SourceTensor* made = query.at(0); made != nullptr)
        calls.push_back(made_by("gradient_of_log_target", arguments, *made));
    return calls;
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
    // target * log(target), or what stands in its place, less the product with self.
    return query.number("log_target", 0) != 0 ? gradients_of_product_with_exponential(query)
                                              : gradients_of_difference(query);
}

/// Losses of a distance: what is true of self holds of the target in its place.
std::vector<ApiCall> gradients_of_distance_loss(const GradientQuery& query) {
    const Operand sides[] = {Operand::of(query.operand("self")),
                             Operand::of(query.operand("target"))};
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place) {
        const SourceTensor* made = query.at(place);
        if (made == nullptr) continue;
        std::vector<NamedOperand> arguments = {
            {"grad_output", Operand::of(query.gradient())},
            {"self", sides[place]},
            {"target", sides[1 - place]},
            {"reduction", Operand::of(static_cast<int64_t>(reduction_of(query)))}};
        const std::string& op = query.forward.op->name();
        if (op == "smooth_l1_loss")
            arguments.push_back({"beta", Operand::of(query.number("beta", 1))});
        if (op == "huber_loss")
            arguments.push_back({"delta", Operand::of(query.number("delta", 1))});
        calls.push_back(made_by(op + "_backward", arguments, *made));
    }
    return calls;
}

std::vector<ApiCall> gradients_of_share_loss(const GradientQuery& query) {
    const Operand grad = Operand::of(query.gradient());
    const Operand self = Operand::of(query.operand("self"));
    const Operand weight = query.forward.argument("weight");
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(0); made != nullptr) {
        std::vector<NamedOperand> arguments = {
            {"grad_output", grad},
            {"self", self},
            {"target", Operand::of(query.operand("target"))},
            {"reduction", Operand::of(static_cast<int64_t>(reduction_of(query)))}};
        if (!weight.is_none()) arguments.push_back({"weight", weight});
        calls.push_back(made_by("binary_cross_entropy_backward", arguments, *made));
    }
    if (const SourceTensor* made = query.at(1); made != nullptr) {
        std::vector<NamedOperand> arguments = {
            {"grad", grad}, {"self", self}, {"count", Operand::of(divisor_of(query, *made))}};
        if (!weight.is_none()) arguments.push_back({"weight", weight});
        calls.push_back(made_by("gradient_of_cross_entropy_target", arguments, *made));
    }
    return calls;
}

std::vector<ApiCall> gradients_of_batch_mean(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    return {quotient(query, query.number("count", 1), *made)};
}

std::vector<ApiCall> gradients_of_logit_loss(const GradientQuery& query) {
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place) {
        const SourceTensor* made = query.at(place);
        if (made == nullptr) continue;
        std::vector<NamedOperand> arguments = {{"grad", Operand::of(query.gradient())},
                                               {"self", Operand::of(query.operand("self"))},
                                               {"count", Operand::of(divisor_of(query, *made))}};
        if (place == 0) arguments.push_back({"target", Operand::of(query.operand("target"))});
        for (const char* name : {"weight", "pos_weight"})
            if (const Operand given = query.forward.argument(name); !given.is_none())
                arguments.push_back({name, given});
        calls.push_back(made_by(
            place == 0 ? "gradient_of_cross_entropy_with_logits" : "gradient_of_target_with_logits",
            arguments,
            *made));
    }
    return calls;
}

/// Its last node is that of the negative log likelihood, which does not ask for what it was given
/// but for its shape; of smoothed labels a sum of two losses.
std::vector<ApiCall> gradients_of_cross_entropy(const GradientQuery& query) {
    SourceTensor self = query.operand("self");
    SourceTensor target = query.operand("target");
    if (target.shape == self.shape && is_float(dtype_of(target)))
        return gradients_by_shares(query, self.shape);
    if (query.number("label_smoothing", 0) != 0) return handed_to_all(query);
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
        {"ignore_index", Operand::of(static_cast<int64_t>(query.number("ignore_index", -100)))}};
    if (const Operand weight = query.forward.argument("weight"); !weight.is_none())
        arguments.push_back({"weight", weight});
    const ApiCall forward =
        bind_named(self.shape.size() == 4 ? "nll_loss2d_forward" : "nll_loss_forward", arguments);
    return gradient_calls({forward, query.given, query.made});
}

}  // namespace npuscope::diagnose
