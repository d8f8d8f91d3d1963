// Gradients that hand on what they are given: sums, elementwise arithmetic, joints.
#include <algorithm>
#include <numeric>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

bool is_shape_of(const SourceTensor& tensor, const Shape& shape) {
    return tensor.shape == shape;
}

/// The gradient of a reduction, as wide as what was reduced.
SourceTensor widened_gradient(const GradientQuery& query) {
    const Shape& full = query.operand("self").shape;
    Shape kept = full;
    const auto dims = query.forward.argument("dim").numbers();
    if (!dims || dims->empty())
        std::ranges::fill(kept, 1);
    else
        for (const double dim : *dims)
            if (!full.empty())
                kept[static_cast<size_t>(dimension(static_cast<int64_t>(dim), full.size()))] = 1;
    return expanded(reshaped(query.gradient(), kept), full);
}

/// What an operand that was broadcast gets: the sum over what it was repeated along.
ApiCall handed_on(const SourceTensor& gradient, const SourceTensor& made) {
    if (made.shape == gradient.shape)
        return made_by("clone", {{"self", Operand::of(gradient)}}, made);
    const size_t missing =
        gradient.shape.size() - std::min(gradient.shape.size(), made.shape.size());
    std::vector<int64_t> dims(missing);
    std::iota(dims.begin(), dims.end(), 0);
    for (size_t i = 0; i < made.shape.size() && missing + i < gradient.shape.size(); ++i)
        if (made.shape[i] == 1 && gradient.shape[missing + i] != 1)
            dims.push_back(static_cast<int64_t>(missing + i));
    if (dims.empty()) not_computed("the gradient has another shape than its operands");
    Shape kept = gradient.shape;
    for (const int64_t dim : dims)
        kept[static_cast<size_t>(dim)] = 1;
    return made_by("sum",
                   {{"self", Operand::of(gradient)},
                    {"dim", Operand::of(dims)},
                    {"keepdim", Operand::of(true)}},
                   reshaped(made, kept));
}

/// The gradient times what the other operand was.
ApiCall times(const SourceTensor& gradient, const Operand& other, const SourceTensor& made) {
    if (!is_shape_of(made, gradient.shape))
        not_computed("the gradient of an operand that was broadcast is not computed");
    return made_by("mul", {{"self", Operand::of(gradient)}, {"other", other}}, made);
}

}  // namespace

std::vector<ApiCall> gradients_of_sum(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    return {made_by("clone", {{"self", Operand::of(widened_gradient(query))}}, *made)};
}

std::vector<ApiCall> gradients_of_mean(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    const int64_t reduced = numel_of(query.operand("self").shape) /
                            std::max<int64_t>(1, numel_of(query.gradient().shape));
    return {made_by("div",
                    {{"self", Operand::of(widened_gradient(query))},
                     {"other", Operand::of(static_cast<double>(reduced))}},
                    *made)};
}

std::vector<ApiCall> gradients_of_add(const GradientQuery& query) {
    const std::string& op = query.forward.op->name();
    // self - other, and other - self.
    const size_t turned = op.starts_with("sub") ? 1 : op.starts_with("rsub") ? 0 : 2;
    const Operand alpha = query.forward.argument("alpha");
    if (!alpha.is_none() && alpha.number->numbers.front() != 1)
        not_computed("its gradient with alpha is not computed");
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place) {
        const SourceTensor* made = query.at(place);
        if (made == nullptr) continue;
        if (place != turned)
            calls.push_back(handed_on(query.gradient(), *made));
        else if (is_shape_of(*made, query.gradient().shape))
            calls.push_back(made_by("neg", {{"self", Operand::of(query.gradient())}}, *made));
    }
    return calls;
}

std::vector<ApiCall> gradients_of_expand(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr) return {};
    return {handed_on(query.gradient(), *made)};
}

/// The other vector times one number.
std::vector<ApiCall> gradients_of_dot(const GradientQuery& query) {
    std::vector<ApiCall> calls;
    for (size_t place = 0; place < 2; ++place)
        if (const SourceTensor* made = query.at(place); made != nullptr)
            calls.push_back(
                made_by("mul",
                        {{"self", Operand::of(query.operand(place == 0 ? "tensor" : "self"))},
                         {"other", Operand::of(query.gradient())}},
                        *made));
    return calls;
}

std::vector<ApiCall> gradients_of_mul(const GradientQuery& query) {
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(0); made != nullptr)
        calls.push_back(times(query.gradient(), query.forward.argument("other"), *made));
    if (const SourceTensor* made = query.at(1); made != nullptr)
        calls.push_back(times(query.gradient(), query.forward.argument("self"), *made));
    return calls;
}

/// Of the dividend: that of the divisor takes more than one op.
std::vector<ApiCall> gradients_of_div(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    if (made == nullptr || !is_shape_of(*made, query.gradient().shape))
        not_computed(
            "the gradient of a divisor, or of an operand that was broadcast, is not computed");
    return {made_by(
        "div",
        {{"self", Operand::of(query.gradient())}, {"other", query.forward.argument("other")}},
        *made)};
}

std::vector<ApiCall> gradients_of_cat(const GradientQuery& query) {
    const Operand parts = query.forward.argument("tensors");
    const Operand dim = query.forward.argument("dim");
    const int64_t axis =
        dimension(dim.is_none() ? 0 : static_cast<int64_t>(dim.number->numbers.front()),
                  query.gradient().shape.size());
    std::vector<ApiCall> calls;
    int64_t start = 0;
    for (size_t i = 0; i < parts.list.size(); ++i) {
        const Shape& shape = parts.list[i].tensor->shape;
        const int64_t length = shape.at(static_cast<size_t>(axis));
        if (const SourceTensor* made = query.at(i); made != nullptr)
            calls.push_back(made_by("narrow",
                                    {{"self", Operand::of(query.gradient())},
                                     {"dim", Operand::of(axis)},
                                     {"start", Operand::of(start)},
                                     {"length", Operand::of(length)}},
                                    *made));
        start += length;
    }
    return calls;
}

std::vector<ApiCall> gradients_of_permute(const GradientQuery& query) {
    const SourceTensor* made = query.at(0);
    const auto dims = query.forward.argument("dims").numbers();
    if (made == nullptr || !dims) return {};
    std::vector<int64_t> back(dims->size());
    for (size_t i = 0; i < dims->size(); ++i)
        back.at(static_cast<size_t>(dimension(static_cast<int64_t>((*dims)[i]), dims->size()))) =
            static_cast<int64_t>(i);
    return {made_by(
        "permute", {{"self", Operand::of(query.gradient())}, {"dims", Operand::of(back)}}, *made)};
}

/// Its last node is that of the negative log likelihood, which does not ask for what it was given
/// but for its shape.
std::vector<ApiCall> gradients_of_cross_entropy(const GradientQuery& query) {
    const SourceTensor& self = query.operand("self");
    const Operand smoothing = query.forward.argument("label_smoothing");
    const bool images = self.shape.size() == 4;
    if ((!smoothing.is_none() && smoothing.number->numbers.front() != 0) ||
        query.operand("target").shape == self.shape || self.shape.size() == 3)
        not_computed("the gradient of such a cross entropy is not computed");
    std::vector<NamedOperand> arguments;
    for (const char* name : {"self", "target", "weight", "reduction", "ignore_index"})
        if (Operand value = query.forward.argument(name); !value.is_none())
            arguments.push_back({name, std::move(value)});
    const auto has = [&](const char* name) {
        return std::ranges::find(arguments, name, &NamedOperand::name) != arguments.end();
    };
    if (!has("reduction")) arguments.push_back({"reduction", Operand::of(int64_t{1})});
    if (!has("ignore_index")) arguments.push_back({"ignore_index", Operand::of(int64_t{-100})});
    const ApiCall forward =
        bind_named(images ? "nll_loss2d_forward" : "nll_loss_forward", arguments);
    return gradient_calls({forward, query.given, query.made});
}

}  // namespace npuscope::diagnose
