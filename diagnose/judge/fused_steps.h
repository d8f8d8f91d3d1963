// Steps that programs of fused ops share.
#pragma once

#include "npu_backend/ops/lowering.h"

namespace npuscope::diagnose {

using backend::Lowering;

inline Tensor product(Lowering& op, const Tensor& one, const Tensor& other) {
    return op.step("mul_Tensor", {{"self", one}, {"other", other}});
}

inline Tensor scaled(Lowering& op, const Tensor& tensor, double factor) {
    return op.step("mul_Scalar", {{"self", tensor}, {"other", Scalar{factor}}});
}

inline Tensor sum(Lowering& op, const Tensor& one, const Tensor& other) {
    return op.step("add_Tensor", {{"self", one}, {"other", other}, {"alpha", Scalar{int64_t{1}}}});
}

inline Tensor difference(Lowering& op, const Tensor& one, const Tensor& other) {
    return op.step("sub_Tensor", {{"self", one}, {"other", other}, {"alpha", Scalar{int64_t{1}}}});
}

inline Tensor permuted(Lowering& op, const Tensor& tensor, const IntList& dims) {
    return op.step("permute", {{"self", tensor}, {"dims", dims}});
}

/// Of a mask of truths, or of a byte each, as some record it.
inline Tensor truths_of(Lowering& op, const Tensor& mask) {
    if (mask.dtype() == DType::kBool) return mask;
    return op.step("ne_Scalar", {{"self", mask}, {"other", Scalar{int64_t{0}}}});
}

}  // namespace npuscope::diagnose
