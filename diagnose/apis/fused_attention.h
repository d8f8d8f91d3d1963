// torch_npu's fused attention as PyTorch's: its layouts, its mask, its groups of heads.
// Source  torch_npu's documentation of npu_fusion_attention.
#pragma once

#include "diagnose/apis/api_call.h"

namespace npuscope::diagnose {

/// With the attention itself as its one result. Errors: Error(kUnsupported) says what is not
/// computed.
[[nodiscard]] ApiCall fused_attention(const std::vector<NamedOperand>& arguments,
                                      const std::vector<SourceTensor>& outputs);

}  // namespace npuscope::diagnose
