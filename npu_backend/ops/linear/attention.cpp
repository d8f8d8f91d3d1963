// Attention: the softmax of products of queries and keys, times values.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// [..., rows, columns] as one batch of matrices.
Tensor batch_of(const Tensor& tensor) {
    const int64_t rows = tensor.dim(tensor.ndim() - 2);
    const int64_t columns = tensor.dim(tensor.ndim() - 1);
    const int64_t size = std::max<int64_t>(1, rows * columns);
    return tensor.reshaped({tensor.numel() / size, rows, columns});
}

void require_matrices(const Lowering& op, const Tensor& key, const Tensor& value) {
    const Tensor& query = op.raw("query");
    const int64_t ndim = query.ndim();
    const auto leading = [](const Tensor& each) {
        return Shape(each.shape().begin(), each.shape().end() - 2);
    };
    if (ndim < 2 || key.ndim() != ndim || value.ndim() != ndim || query.numel() == 0 ||
        leading(query) != leading(key) || leading(key) != leading(value) ||
        query.dim(ndim - 1) != key.dim(ndim - 1) || key.dim(ndim - 2) != value.dim(ndim - 2))
        op.reject("query " + to_string(query.shape()) + ", key " + to_string(key.shape()) +
                  " and value " + to_string(value.shape()) + " do not fit each other");
    if (op.number("dropout_p") != 0) op.reject("dropout is not computed");
}

Tensor first(Lowering& op, std::string_view name, NamedValues arguments) {
    return op.computed(name, std::move(arguments)).at(0);
}

/// One head for each of the queries', where several queries' heads use one of the keys.
Tensor by_head_of_query(Lowering& op, std::string_view name) {
    const Tensor tensor = op.tensor(name);
    const Tensor& query = op.raw("query");
    if (tensor.ndim() != 4 || query.ndim() != 4 || tensor.dim(1) < 1 ||
        query.dim(1) == tensor.dim(1) || query.dim(1) % tensor.dim(1) != 0)
        return tensor;
    return first(
        op,
        "repeat_interleave_self_int",
        {{"self", tensor}, {"repeats", query.dim(1) / tensor.dim(1)}, {"dim", int64_t{1}}});
}

/// True below and on the diagonal.
Tensor causal_mask(int64_t rows, int64_t columns) {
    Tensor mask = Tensor::zeros(DType::kBool, {rows, columns});
    for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column <= std::min(row, columns - 1); ++column)
            mask.mutable_as<bool>()[static_cast<size_t>(row * columns + column)] = true;
    return mask;
}

/// A mask of truths says what takes part; one of numbers is added.
Tensor masked(Lowering& op, const Tensor& scores, const Tensor& mask) {
    if (mask.dtype() != DType::kBool)
        return first(op, "add_Tensor", {{"self", scores}, {"other", mask}});
    const Tensor out = first(op, "logical_not", {{"self", mask}});
    return first(op,
                 "masked_fill_Scalar",
                 {{"self", scores},
                  {"mask", out},
                  {"value", Scalar{-std::numeric_limits<double>::infinity()}}});
}

void lower_attention(Lowering& op) {
    const Tensor key = by_head_of_query(op, "key");
    const Tensor value = by_head_of_query(op, "value");
    require_matrices(op, key, value);
    const Tensor& query = op.raw("query");
    const int64_t ndim = query.ndim();
    const int64_t rows = query.dim(ndim - 2);
    const int64_t columns = key.dim(ndim - 2);
    const double scale = op.has("scale") ? op.number("scale")
                                         : 1 / std::sqrt(static_cast<double>(query.dim(ndim - 1)));
    const Tensor keys = first(op, "permute", {{"self", batch_of(key)}, {"dims", IntList{0, 2, 1}}});
    Tensor scores = first(op, "bmm", {{"self", batch_of(op.tensor("query"))}, {"mat2", keys}});
    scores = first(op, "mul_Scalar", {{"self", scores}, {"other", Scalar{scale}}});
    Shape shape = query.shape();
    shape.back() = columns;
    scores = scores.reshaped(shape);
    if (op.flag("is_causal")) scores = masked(op, scores, causal_mask(rows, columns));
    if (op.has("attn_mask")) scores = masked(op, scores, op.tensor("attn_mask"));
    const Tensor weights =
        first(op, "_softmax", {{"self", scores}, {"dim", int64_t{-1}}, {"half_to_float", false}});
    const Tensor result =
        first(op, "bmm", {{"self", batch_of(weights)}, {"mat2", batch_of(value)}});
    shape.back() = value.dim(ndim - 1);
    op.result(result.reshaped(shape), op.declared("query"));
}

}  // namespace

std::span<const OpRow> attention_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? "
                   "attn_mask=None, float dropout_p=0.0, bool is_causal=False, *, float? "
                   "scale=None) -> Tensor",
         .launches = {"BatchMatMul",
                      "Cast",
                      "TransData",
                      "Mul",
                      "Add",
                      "LogicalNot",
                      "MaskedFill",
                      "SoftmaxV2"},
         .note = "as bmm, mul_Scalar, masked_fill_Scalar or add_Tensor, _softmax, bmm",
         .lower = lower_attention,
         .is_composed = true},
    });
    return kRows;
}

}  // namespace npuscope::backend
