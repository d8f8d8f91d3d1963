// Ops of three tensors: optimiser steps and interpolation.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

Tensor number(const Lowering& op, DType dtype, double value) {
    return Tensor::scalar<double>(value).cast(op.numerics().held(dtype));
}

template <const char* kKernel>
void lower_scaled(Lowering& op) {
    const std::array<Tensor, 3> given = {op.raw("self"), op.raw("tensor1"), op.raw("tensor2")};
    const DType dtype = float_type(result_type(given));
    op.result(op.launch(kKernel,
                        {op.cast(op.tensor("self"), dtype),
                         op.cast(op.tensor("tensor1"), dtype),
                         op.cast(op.tensor("tensor2"), dtype),
                         number(op, dtype, op.number("value"))}),
              dtype);
}

void lower_lerp_scalar(Lowering& op) {
    const Operands pair = common_operands(op, "self", "end");
    op.result(
        op.launch("Lerp", {pair.self, pair.other, number(op, pair.dtype, op.number("weight"))}),
        pair.dtype);
}

void lower_lerp_tensor(Lowering& op) {
    const Operands pair = common_operands(op, "self", "end");
    op.result(op.launch("Lerp", {pair.self, pair.other, op.cast(op.tensor("weight"), pair.dtype)}),
              pair.dtype);
}

constexpr char kAddcmul[] = "Addcmul";
constexpr char kAddcdiv[] = "Addcdiv";

constexpr auto kRows = std::to_array<OpRow>({
    {"addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
     "Addcmul",
     "table",
     lower_scaled<kAddcmul>},
    {"addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
     "Addcdiv",
     "table",
     lower_scaled<kAddcdiv>},
    {"lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
     "Lerp",
     "table",
     lower_lerp_scalar},
    {"lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
     "Lerp",
     "table",
     lower_lerp_tensor},
});

}  // namespace

extern const std::span<const OpRow> k_combinations_ops;
const std::span<const OpRow> k_combinations_ops = kRows;

}  // namespace npuscope::backend
