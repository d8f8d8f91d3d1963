// Gradients of matrix products: products with a factor transposed.
#include <algorithm>

#include "diagnose/apis/gradients.h"
#include "diagnose/apis/lazy_tensors.h"
#include "diagnose/apis/not_computed.h"

namespace npuscope::diagnose {

namespace {

SourceTensor turned(const SourceTensor& tensor) {
    return transposed(tensor, -2, -1);
}

/// `a` times `b` as what was made, whose shape is the product's.
ApiCall product(const SourceTensor& a, const SourceTensor& b, const SourceTensor& made) {
    const bool batched = a.shape.size() == 3;
    return made_by(
        batched ? "bmm" : "mm", {{"self", Operand::of(a)}, {"mat2", Operand::of(b)}}, made);
}

/// Rows of a tensor, whatever stands before its last dimension.
SourceTensor rows_of(const SourceTensor& tensor) {
    if (tensor.shape.empty()) not_computed("a factor has no dimensions");
    const int64_t width = tensor.shape.back();
    return reshaped(tensor, {width == 0 ? 0 : numel_of(tensor.shape) / width, width});
}

bool is_one(const Operand& factor) {
    return factor.is_none() || (factor.is_number() && factor.number->numbers.front() == 1);
}

/// The function ended in a view of its product: the node only gives the gradient another shape.
ApiCall view_of(const SourceTensor& gradient, const SourceTensor& made) {
    return made_by(
        "reshape", {{"self", Operand::of(gradient)}, {"shape", Operand::of(made.shape)}}, made);
}

bool is_view_of(const SourceTensor& gradient, const GradientQuery& query) {
    if (query.made.size() != 1 || place_among(query.made[0]) != "0" ||
        numel_of(query.made[0].shape) != numel_of(gradient.shape))
        return false;
    // matmul of batches always ends in a view, of the same shape even; bmm does not.
    const bool is_matmul_of_batches =
        query.forward.op->name() == "bmm" && !query.forward.result_shape.empty();
    return is_matmul_of_batches || query.made[0].shape != gradient.shape;
}

/// A node that makes the gradient of one factor alone saves the other one alone.
std::vector<ApiCall> gradient_of_one_factor(const GradientQuery& query) {
    if (const SourceTensor* made = query.at(0); made != nullptr)
        return {product(query.gradient(), turned(query.operand("mat2")), *made)};
    if (const SourceTensor* made = query.at(1); made != nullptr)
        return {product(turned(query.operand("self")), query.gradient(), *made)};
    return {};
}

}  // namespace

std::vector<ApiCall> gradients_of_product(const GradientQuery& query) {
    if (query.forward.argument("self").is_none() || query.forward.argument("mat2").is_none())
        return gradient_of_one_factor(query);
    const SourceTensor& self = query.operand("self");
    const SourceTensor& other = query.operand("mat2");
    // The function's own result may have other dimensions than the product.
    if (is_view_of(query.gradient(), query)) return {view_of(query.gradient(), query.made[0])};
    Shape shape(self.shape.begin(), self.shape.end() - 1);
    shape.push_back(other.shape.back());
    const SourceTensor gradient = reshaped(query.gradient(), shape);
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(0); made != nullptr)
        calls.push_back(product(gradient, turned(other), reshaped(*made, self.shape)));
    if (const SourceTensor* made = query.at(1); made != nullptr)
        calls.push_back(product(turned(self), gradient, reshaped(*made, other.shape)));
    return calls;
}

/// One node (input, weight, bias), or those of the ops that it is put together from: addmm (bias,
/// input, transposed weight) and mm (input, transposed weight), behind which a view may stand.
std::vector<ApiCall> gradients_of_linear(const GradientQuery& query) {
    const SourceTensor& weight = query.operand("weight");
    if (is_view_of(query.gradient(), query)) return {view_of(query.gradient(), query.made[0])};
    const SourceTensor gradient = rows_of(query.gradient());
    const SourceTensor input = rows_of(query.operand("input"));
    const bool has_bias = !query.forward.argument("bias").is_none();
    const auto is_bias = [&](const SourceTensor* made) {
        return made != nullptr && has_bias && made->shape.size() == 1;
    };
    const bool bias_first =
        is_bias(query.at(0)) ||
        (query.at(0) == nullptr && has_bias && query.at(2) != nullptr && !is_bias(query.at(2)));
    const Shape turned_shape = {weight.shape.back(), weight.shape.front()};
    std::vector<ApiCall> calls;
    for (const SourceTensor& made : query.made) {
        const size_t place = std::stoul("0" + place_among(made)) + (bias_first ? 0 : 1);
        if (is_bias(&made)) {
            calls.push_back(made_by(
                "sum",
                {{"self", Operand::of(gradient)}, {"dim", Operand::of(std::vector<int64_t>{0})}},
                made));
        } else if (place == 1) {
            calls.push_back(product(gradient, weight, reshaped(made, input.shape)));
        } else if (made.shape == turned_shape && (bias_first || !has_bias)) {
            calls.push_back(product(turned(input), gradient, made));
        } else if (made.shape == weight.shape) {
            calls.push_back(product(turned(gradient), input, made));
        }
    }
    return calls;
}

std::vector<ApiCall> gradients_of_addmm(const GradientQuery& query) {
    const bool batched = query.forward.op->name() == "baddbmm";
    const Operand alpha = query.forward.argument("alpha");
    const Operand beta = query.forward.argument("beta");
    if (!is_one(alpha) && !batched) not_computed("its gradient with alpha is not computed");
    const auto own_product =
        [&](const SourceTensor& a, const SourceTensor& b, const SourceTensor& made) {
            if (is_one(alpha)) return product(a, b, made);
            return made_by("gradient_of_scaled_product",
                           {{"self", Operand::of(a)}, {"mat2", Operand::of(b)}, {"alpha", alpha}},
                           made);
        };
    const SourceTensor& gradient = query.gradient();
    std::vector<ApiCall> calls;
    if (const SourceTensor* made = query.at(0); made != nullptr && !is_one(beta))
        calls.push_back(made_by(
            "gradient_of_term",
            {{"grad", Operand::of(gradient)}, {"alpha", beta}, {"shape", Operand::of(made->shape)}},
            *made));
    else if (made != nullptr && made->shape == gradient.shape)
        calls.push_back(made_by("clone", {{"self", Operand::of(gradient)}}, *made));
    else if (made != nullptr && !batched && made->shape.size() == 1)
        calls.push_back(made_by(
            "sum",
            {{"self", Operand::of(gradient)}, {"dim", Operand::of(std::vector<int64_t>{0})}},
            *made));
    if (const SourceTensor* made = query.at(1); made != nullptr)
        calls.push_back(
            own_product(gradient, turned(query.operand(batched ? "batch2" : "mat2")), *made));
    if (const SourceTensor* made = query.at(2); made != nullptr)
        calls.push_back(
            own_product(turned(query.operand(batched ? "batch1" : "mat1")), gradient, *made));
    return calls;
}

}  // namespace npuscope::diagnose
