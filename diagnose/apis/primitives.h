// MindSpore's primitives, whose attributes no recorder keeps: shapes tell them, or nothing does.
#pragma once

#include "diagnose/apis/api_call.h"

namespace npuscope::diagnose {

/// MatMul and BatchMatMul: which factors were transposed. Errors of all: Error(kUnsupported) where
/// the shapes fit no choice, or more than one.
[[nodiscard]] ApiCall primitive_product(const std::vector<NamedOperand>& arguments,
                                        const std::vector<SourceTensor>& outputs);
[[nodiscard]] ApiCall primitive_sum(const std::vector<NamedOperand>& arguments,
                                    const std::vector<SourceTensor>& outputs);
[[nodiscard]] ApiCall primitive_mean(const std::vector<NamedOperand>& arguments,
                                     const std::vector<SourceTensor>& outputs);
/// A bias for each place of the second dimension.
[[nodiscard]] ApiCall primitive_bias(const std::vector<NamedOperand>& arguments,
                                     const std::vector<SourceTensor>& outputs);
/// Rows of a table.
[[nodiscard]] ApiCall primitive_gather(const std::vector<NamedOperand>& arguments,
                                       const std::vector<SourceTensor>& outputs);

}  // namespace npuscope::diagnose
