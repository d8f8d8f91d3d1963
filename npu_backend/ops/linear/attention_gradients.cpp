// The gradients of attention by its queries, keys and values, from what it was given alone.
#include <array>

#include "npu_backend/ops/linear/attention.h"

namespace npuscope::backend {

namespace {

void require_fitting_gradient(const Lowering& op, std::string_view gradient, const Tensor& value) {
    Shape expected = op.raw("query").shape();
    expected.back() = value.shape().back();
    if (const Shape& grad = op.raw(gradient).shape(); grad != expected)
        op.reject("gradient " + to_string(grad) + " does not fit a result " + to_string(expected));
}

void lower_gradient(Lowering& op) {
    lower_attention_gradient(op, "grad_out");
}

}  // namespace

Tensor summed_heads(Lowering& op, const Tensor& gradient, const Shape& shape, int64_t shared) {
    if (shared == 1) return gradient.reshaped(shape);
    if (shape.size() != 4 || shared < 1 || shape[1] % shared != 0)
        op.reject("heads of " + to_string(shape) + " are not shared by " + std::to_string(shared));
    const Tensor parts =
        gradient.reshaped({shape[0], shape[1] / shared, shared, shape[2], shape[3]});
    return op.step("sum_dim_IntList", {{"self", parts}, {"dim", IntList{2}}});
}

int64_t heads_by_gradient(const Lowering& op) {
    return op.declares("shared") && op.has("shared") ? op.integer("shared") : heads_by_key(op);
}

Tensor turned_batch(Lowering& op, const Tensor& batch) {
    return op.step("permute", {{"self", batch}, {"dims", IntList{0, 2, 1}}});
}

Tensor batch_product(Lowering& op, const Tensor& a, const Tensor& b) {
    return op.step("bmm", {{"self", a}, {"mat2", b}});
}

void lower_attention_gradient(Lowering& op, std::string_view gradient) {
    const int64_t by_key = heads_by_key(op);
    const Tensor keys = repeated_heads(op, op.tensor("key"), by_key);
    const Tensor values = repeated_heads(op, op.tensor("value"), by_key);
    require_fitting_heads(op, keys, values);
    require_fitting_gradient(op, gradient, values);
    const int64_t shared = heads_by_gradient(op);
    const Tensor query = batch_of(op.tensor("query"));
    const Tensor key = batch_of(keys);
    const Tensor grad = batch_of(op.tensor(gradient));
    const Tensor weights = batch_of(attention_weights(op, attention_scores(op, keys)));
    const Tensor of_weights = batch_product(op, grad, turned_batch(op, batch_of(values)));
    const Tensor of_products = op.step("_softmax_backward_data",
                                       {{"grad_output", of_weights},
                                        {"output", weights},
                                        {"dim", int64_t{-1}},
                                        {"input_dtype", op.declared("query")}});
    const Tensor of_scores =
        op.step("mul_Scalar", {{"self", of_products}, {"other", Scalar{attention_scale(op)}}});
    const Tensor of_key = batch_product(op, turned_batch(op, of_scores), query);
    const Tensor of_value = batch_product(op, turned_batch(op, weights), grad);
    op.result(batch_product(op, of_scores, key).reshaped(op.raw("query").shape()),
              op.declared("query"));
    op.result(summed_heads(op, of_key, keys.shape(), shared), op.declared("key"));
    op.result(summed_heads(op, of_value, values.shape(), shared), op.declared("value"));
}

std::span<const OpRow> attention_gradients_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor "
                   "query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float "
                   "dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None) -> "
                   "(Tensor grad_query, Tensor grad_key, Tensor grad_value)",
         .launches = {"SoftmaxGrad", "ReduceSum", "Tile"},
         .as = "scaled_dot_product_attention",
         .note = "as bmm, mul_Scalar, masks and _softmax of the attention again, then bmm, "
                 "_softmax_backward_data, mul_Scalar, bmm",
         .lower = lower_gradient,
         .is_composed = true},
    });
    return kRows;
}

}  // namespace npuscope::backend
