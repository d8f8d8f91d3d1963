// Steps that attention and its gradients share. The op's arguments are those of
// scaled_dot_product_attention by their names, with shapes [..., rows, columns].
#pragma once

#include <string_view>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

/// [..., rows, columns] as one batch of matrices.
[[nodiscard]] Tensor batch_of(const Tensor& tensor);
/// The matrices of a batch, transposed.
[[nodiscard]] Tensor turned_batch(Lowering& op, const Tensor& batch);
[[nodiscard]] Tensor batch_product(Lowering& op, const Tensor& a, const Tensor& b);
/// How many heads of the queries use one of the keys; 1 where there are no heads.
[[nodiscard]] int64_t heads_by_key(const Lowering& op);
/// Each head `times` times, one behind the other.
[[nodiscard]] Tensor repeated_heads(Lowering& op, const Tensor& heads, int64_t times);
/// How many of them one head of a key's or value's gradient is for.
[[nodiscard]] int64_t heads_by_gradient(const Lowering& op);
/// Gradients of so many heads, one behind the other, as one of `shape`.
[[nodiscard]] Tensor summed_heads(Lowering& op,
                                  const Tensor& gradient,
                                  const Shape& shape,
                                  int64_t shared);
[[nodiscard]] double attention_scale(const Lowering& op);
/// Errors: Error(kUsage) where shapes do not fit, and for dropout.
void require_fitting_heads(const Lowering& op, const Tensor& key, const Tensor& value);
/// Scaled products of queries and keys, minus infinity where a mask leaves one out.
[[nodiscard]] Tensor attention_scores(Lowering& op, const Tensor& key);
/// Their softmax.
[[nodiscard]] Tensor attention_weights(Lowering& op, const Tensor& scores);

/// The gradients by query, key and value, as results; `gradient` is the argument with the result's.
/// Where the op declares "shared", so many heads behind each other of key and value are one.
/// Source  T. Dao et al., FlashAttention, NeurIPS 2022, appendix B.4.
void lower_attention_gradient(Lowering& op, std::string_view gradient);

}  // namespace npuscope::backend
