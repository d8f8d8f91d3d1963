// torch_npu's attention in one op as PyTorch's: its layouts, its masks, its groups of heads.
// Source: torch_npu's API reference, npu_fusion_attention; CANN's, aclnnFlashAttentionScore.
#pragma once

#include <string_view>
#include <vector>

#include "npu_backend/ops/lowering.h"

namespace npuscope::diagnose {

/// Recorders leave words out: the layouts in which tensors of these shapes fit each other.
[[nodiscard]] std::vector<std::string_view> possible_layouts(const NamedValues& arguments);

/// Of scaled_dot_product_attention, by their names there, each [batch, heads, places, width]; of a
/// gradient dy too, as "grad". Errors: Error(kUsage) says what is not computed.
[[nodiscard]] NamedValues attention_arguments(backend::Lowering& op);

/// What was made of such tensors, in the layout of the op's argument.
[[nodiscard]] Tensor laid_out_as(backend::Lowering& op,
                                 const Tensor& heads,
                                 std::string_view argument);

}  // namespace npuscope::diagnose
