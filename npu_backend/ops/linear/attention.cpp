// Attention: the softmax of products of queries and keys, times values.
#include "npu_backend/ops/linear/attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace npuscope::backend {

Tensor batch_of(const Tensor& tensor) {
    const int64_t rows = tensor.dim(tensor.ndim() - 2);
    const int64_t columns = tensor.dim(tensor.ndim() - 1);
    const int64_t size = std::max<int64_t>(1, rows * columns);
    return tensor.reshaped({tensor.numel() / size, rows, columns});
}

int64_t heads_by_key(const Lowering& op) {
    const Tensor& query = op.raw("query");
    const Tensor& key = op.raw("key");
    if (query.ndim() != 4 || key.ndim() != 4 || key.dim(1) < 1 || query.dim(1) % key.dim(1) != 0)
        return 1;
    return query.dim(1) / key.dim(1);
}

Tensor repeated_heads(Lowering& op, const Tensor& heads, int64_t times) {
    if (times == 1) return heads;
    return op.step("repeat_interleave_self_int",
                   {{"self", heads}, {"repeats", times}, {"dim", int64_t{1}}});
}

double attention_scale(const Lowering& op) {
    return op.has("scale") ? op.number("scale")
                           : 1 / std::sqrt(static_cast<double>(op.raw("query").shape().back()));
}

namespace {

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
        return op.step("add_Tensor", {{"self", scores}, {"other", mask}});
    const Tensor out = op.step("logical_not", {{"self", mask}});
    return op.step("masked_fill_Scalar",
                   {{"self", scores},
                    {"mask", out},
                    {"value", Scalar{-std::numeric_limits<double>::infinity()}}});
}

}  // namespace

Tensor attention_scores(Lowering& op, const Tensor& key) {
    Shape shape = op.raw("query").shape();
    shape.back() = key.dim(key.ndim() - 2);
    const Tensor keys = op.step("permute", {{"self", batch_of(key)}, {"dims", IntList{0, 2, 1}}});
    Tensor scores = op.step("bmm", {{"self", batch_of(op.tensor("query"))}, {"mat2", keys}});
    scores = op.step("mul_Scalar", {{"self", scores}, {"other", Scalar{attention_scale(op)}}})
                 .reshaped(shape);
    if (op.flag("is_causal"))
        scores = masked(op, scores, causal_mask(shape[shape.size() - 2], shape.back()));
    if (op.has("attn_mask")) scores = masked(op, scores, op.tensor("attn_mask"));
    return scores;
}

Tensor attention_weights(Lowering& op, const Tensor& scores) {
    return op.step("_softmax", {{"self", scores}, {"dim", int64_t{-1}}, {"half_to_float", false}});
}

void require_fitting_heads(const Lowering& op, const Tensor& key, const Tensor& value) {
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

namespace {

/// The scores; the attention is the first result.
Tensor attend(Lowering& op) {
    const int64_t by_key = heads_by_key(op);
    const Tensor key = repeated_heads(op, op.tensor("key"), by_key);
    const Tensor value = repeated_heads(op, op.tensor("value"), by_key);
    require_fitting_heads(op, key, value);
    Tensor scores = attention_scores(op, key);
    const Tensor weights = attention_weights(op, scores);
    const Tensor result = op.step("bmm", {{"self", batch_of(weights)}, {"mat2", batch_of(value)}});
    Shape shape = op.raw("query").shape();
    shape.back() = value.dim(value.ndim() - 1);
    op.result(result.reshaped(shape), op.declared("query"));
    return scores;
}

void lower_attention(Lowering& op) {
    attend(op);
}

void lower_attention_with_sums(Lowering& op) {
    const Tensor scores = attend(op);
    const DType dtype = op.declared("query");
    op.result(op.step("logsumexp", {{"self", scores}, {"dim", IntList{-1}}}),
              dtype == DType::kFloat64 ? dtype : DType::kFloat32);
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
        {.schema = "_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor "
                   "value, float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, "
                   "float? scale=None) -> (Tensor output, Tensor logsumexp)",
         .launches = {"ReduceLogSumExp"},
         .as = "scaled_dot_product_attention",
         .note = "as scaled_dot_product_attention, and logsumexp of the scores",
         .lower = lower_attention_with_sums,
         .is_composed = true},
    });
    return kRows;
}

}  // namespace npuscope::backend
