// Bits of integers, which are truth values for bool, and truth values of anything.
#include <array>

#include "npu_backend/ops/pointwise/elementwise.h"

namespace npuscope::backend {

namespace {

/// The row's first kernel for integers, its second for bool.
void lower_bits(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    if (is_float(pair.dtype)) op.reject("integers or bool are needed");
    op.result(op.launch(op.kernel(pair.dtype == DType::kBool ? 1 : 0), {pair.self, pair.other}),
              pair.dtype);
}

void lower_bits_not(Lowering& op) {
    const DType dtype = op.declared("self");
    if (is_float(dtype)) op.reject("integers or bool are needed");
    op.result(op.launch(op.kernel(dtype == DType::kBool ? 1 : 0), {op.raw("self")}), dtype);
}

void lower_shift_by_number(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    if (is_float(pair.dtype)) op.reject("integers are needed");
    op.result(op.launch(op.kernel(), {pair.self, pair.other}), pair.dtype);
}

/// Anything that is not 0 is true.
Tensor truth(Lowering& op, const char* name) {
    return op.cast(op.tensor(name), DType::kBool);
}

void lower_logical(Lowering& op) {
    op.result(op.launch(op.kernel(), {truth(op, "self"), truth(op, "other")}), DType::kBool);
}

void lower_logical_not(Lowering& op) {
    op.result(op.launch(op.kernel(), {truth(op, "self")}), DType::kBool);
}

}  // namespace

std::span<const OpRow> bits_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"BitwiseAnd", "LogicalAnd"},
         .note = "BitwiseAnd, or LogicalAnd for bool",
         .source = "table",
         .lower = lower_bits},
        {.schema = "bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"BitwiseAnd", "LogicalAnd"},
         .note = "BitwiseAnd, or LogicalAnd for bool",
         .source = "table",
         .lower = lower_bits},
        {.schema = "bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"BitwiseOr", "LogicalOr"},
         .note = "BitwiseOr, or LogicalOr for bool",
         .source = "table",
         .lower = lower_bits},
        {.schema = "bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"BitwiseOr", "LogicalOr"},
         .note = "BitwiseOr, or LogicalOr for bool",
         .source = "table",
         .lower = lower_bits},
        {.schema = "bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"BitwiseXor", "LogicalXor"},
         .note = "BitwiseXor, or LogicalXor for bool",
         .source = "table",
         .lower = lower_bits},
        {.schema = "bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"BitwiseXor", "LogicalXor"},
         .note = "BitwiseXor, or LogicalXor for bool",
         .source = "table",
         .lower = lower_bits},
        {.schema = "bitwise_not(Tensor self) -> Tensor",
         .launches = {"Invert", "LogicalNot"},
         .note = "Invert, or LogicalNot for bool",
         .source = "table",
         .lower = lower_bits_not},
        {.schema = "bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"LeftShift"},
         .lower = lower_binary},
        {.schema = "bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
         .launches = {"RightShift"},
         .lower = lower_binary},
        {.schema = "bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"LeftShift"},
         .lower = lower_shift_by_number},
        {.schema = "bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
         .launches = {"RightShift"},
         .lower = lower_shift_by_number},
        {.schema = "logical_and(Tensor self, Tensor other) -> Tensor",
         .launches = {"LogicalAnd"},
         .source = "table",
         .lower = lower_logical},
        {.schema = "logical_or(Tensor self, Tensor other) -> Tensor",
         .launches = {"LogicalOr"},
         .source = "table",
         .lower = lower_logical},
        {.schema = "logical_xor(Tensor self, Tensor other) -> Tensor",
         .launches = {"LogicalXor"},
         .lower = lower_logical},
        {.schema = "logical_not(Tensor self) -> Tensor",
         .launches = {"LogicalNot"},
         .source = "table",
         .lower = lower_logical_not},
    });
    return kRows;
}

}  // namespace npuscope::backend
