// Ops of three tensors: optimiser steps and interpolation.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

Tensor number(const Lowering& op, DType dtype, double value) {
    return Tensor::scalar<double>(value).cast(op.numerics().held(dtype));
}

void lower_scaled(Lowering& op) {
    const std::array<Tensor, 3> given = {op.raw("self"), op.raw("tensor1"), op.raw("tensor2")};
    const DType dtype = float_type(result_type(given));
    op.result(op.launch(op.kernel(),
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

}  // namespace

std::span<const OpRow> combinations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema =
             "addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
         .launches = {"Addcmul"},
         .source = "table",
         .lower = lower_scaled},
        {.schema =
             "addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor",
         .launches = {"Addcdiv"},
         .source = "table",
         .lower = lower_scaled},
        {.schema = "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
         .launches = {"Lerp"},
         .source = "table",
         .lower = lower_lerp_scalar},
        {.schema = "lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
         .launches = {"Lerp"},
         .source = "table",
         .lower = lower_lerp_tensor},
    });
    return kRows;
}

}  // namespace npuscope::backend
