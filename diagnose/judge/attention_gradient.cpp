// The gradients of attention by its queries, keys and values, from what it was given alone.
// Source  T. Dao et al., FlashAttention, NeurIPS 2022, appendix B.4.
#include <algorithm>
#include <cmath>
#include <limits>

#include "diagnose/judge/composed_op.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::diagnose {

namespace {

using backend::Lowering;

Tensor first_of(Lowering& op, std::string_view name, NamedValues arguments) {
    return op.computed(name, std::move(arguments)).at(0);
}

/// [..., rows, columns] as one batch of matrices.
Tensor batch_of(const Tensor& tensor) {
    const int64_t rows = tensor.dim(tensor.ndim() - 2);
    const int64_t columns = tensor.dim(tensor.ndim() - 1);
    return tensor.reshaped({tensor.numel() / std::max<int64_t>(1, rows * columns), rows, columns});
}

Tensor turned(Lowering& op, const Tensor& batch) {
    return first_of(op, "permute", {{"self", batch}, {"dims", IntList{0, 2, 1}}});
}

Tensor product(Lowering& op, const Tensor& a, const Tensor& b) {
    return first_of(op, "bmm", {{"self", a}, {"mat2", b}});
}

Tensor scaled(Lowering& op, const Tensor& tensor, double scale) {
    return first_of(op, "mul_Scalar", {{"self", tensor}, {"other", Scalar{scale}}});
}

/// With minus infinity at what takes no part.
Tensor without(Lowering& op, const Tensor& scores, const Tensor& out) {
    const Scalar value{-std::numeric_limits<double>::infinity()};
    return first_of(op, "masked_fill_Scalar", {{"self", scores}, {"mask", out}, {"value", value}});
}

/// True behind the diagonal.
Tensor later_columns(int64_t rows, int64_t columns) {
    Tensor later = Tensor::zeros(DType::kBool, {rows, columns});
    for (int64_t i = 0; i < later.numel(); ++i)
        later.mutable_as<bool>()[static_cast<size_t>(i)] = i % columns > i / columns;
    return later;
}

/// A mask of numbers is added.
Tensor masked(Lowering& op, Tensor scores) {
    if (op.flag("is_causal"))
        scores =
            without(op,
                    scores,
                    later_columns(scores.dim(scores.ndim() - 2), scores.dim(scores.ndim() - 1)));
    if (!op.has("attn_mask")) return scores;
    const Tensor mask = op.tensor("attn_mask");
    if (mask.dtype() != DType::kBool)
        return first_of(op, "add_Tensor", {{"self", scores}, {"other", mask}});
    return without(op, scores, first_of(op, "logical_not", {{"self", mask}}));
}

/// Heads of keys and values that `shared` queries' heads use, one behind the other, are one.
Tensor summed_heads(Lowering& op, const Tensor& gradient, const Shape& shape, int64_t shared) {
    if (shared == 1) return gradient.reshaped(shape);
    if (shape.size() != 4 || shared < 1 || shape[1] % shared != 0)
        op.reject("heads of " + to_string(shape) + " are not shared by " + std::to_string(shared));
    const Tensor parts =
        gradient.reshaped({shape[0], shape[1] / shared, shared, shape[2], shape[3]});
    return first_of(op, "sum_dim_IntList", {{"self", parts}, {"dim", IntList{2}}});
}

/// How many heads of the queries use one of the keys.
int64_t heads_by_key(const Lowering& op) {
    const Tensor& query = op.raw("query");
    const Tensor& key = op.raw("key");
    if (query.ndim() != 4 || key.ndim() != 4 || key.dim(1) < 1 || query.dim(1) % key.dim(1) != 0)
        return 1;
    return query.dim(1) / key.dim(1);
}

/// Each head `times` times, one behind the other.
Tensor repeated(Lowering& op, const Tensor& heads, int64_t times) {
    if (times == 1) return heads;
    return first_of(op,
                    "repeat_interleave_self_int",
                    {{"self", heads}, {"repeats", times}, {"dim", int64_t{1}}});
}

void require_fit(const Lowering& op, const Shape& key, const Shape& value) {
    if (op.number("dropout_p") != 0) op.reject("dropout is not computed");
    const Shape& query = op.raw("query").shape();
    const Shape& grad = op.raw("grad").shape();
    const size_t ndim = query.size();
    const auto leading = [](const Shape& shape) { return Shape(shape.begin(), shape.end() - 2); };
    if (ndim < 2 || numel_of(query) == 0 || key.size() != ndim || value.size() != ndim ||
        grad.size() != ndim || leading(query) != leading(key) || leading(key) != leading(value) ||
        leading(grad) != leading(query) || query.back() != key.back() ||
        key[ndim - 2] != value[ndim - 2] || grad.back() != value.back() ||
        grad[ndim - 2] != query[ndim - 2])
        op.reject("query " + to_string(query) + ", key " + to_string(key) + ", value " +
                  to_string(value) + " and gradient " + to_string(grad) + " do not fit each other");
}

}  // namespace

void lower_gradient_of_attention(Lowering& op) {
    const int64_t by_key = heads_by_key(op);
    const Tensor keys = repeated(op, op.tensor("key"), by_key);
    const Tensor values = repeated(op, op.tensor("value"), by_key);
    require_fit(op, keys.shape(), values.shape());
    const Shape& shape = op.raw("query").shape();
    const int64_t shared = op.has("shared") ? op.integer("shared") : by_key;
    const double scale =
        op.has("scale") ? op.number("scale") : 1 / std::sqrt(static_cast<double>(shape.back()));
    const Tensor query = batch_of(op.tensor("query"));
    const Tensor key = batch_of(keys);
    const Tensor value = batch_of(values);
    const Tensor grad = batch_of(op.tensor("grad"));
    Shape of_keys = shape;
    of_keys.back() = keys.dim(keys.ndim() - 2);
    const Tensor scores =
        masked(op, scaled(op, product(op, query, turned(op, key)), scale).reshaped(of_keys));
    const Tensor weights = batch_of(first_of(
        op, "_softmax", {{"self", scores}, {"dim", int64_t{-1}}, {"half_to_float", false}}));
    const Tensor of_weights = product(op, grad, turned(op, value));
    const Tensor of_scores = scaled(op,
                                    first_of(op,
                                             "_softmax_backward_data",
                                             {{"grad_output", of_weights},
                                              {"output", weights},
                                              {"dim", int64_t{-1}},
                                              {"input_dtype", op.declared("query")}}),
                                    scale);
    const Tensor of_key = product(op, turned(op, of_scores), query);
    const Tensor of_value = product(op, turned(op, weights), grad);
    op.result(product(op, of_scores, key).reshaped(shape), op.declared("query"));
    op.result(summed_heads(op, of_key, keys.shape(), shared), op.declared("key"));
    op.result(summed_heads(op, of_value, values.shape(), shared), op.declared("value"));
}

}  // namespace npuscope::diagnose
