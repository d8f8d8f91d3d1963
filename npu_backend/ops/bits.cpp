// Bits of integers, which are truth values for bool; what is finite.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// kWhole for integers, kTruth for bool.
template <const char* kWhole, const char* kTruth>
void bits(Lowering& op, const Operands& pair) {
    if (is_float(pair.dtype)) op.reject("integers or bool are needed");
    op.result(op.launch(pair.dtype == DType::kBool ? kTruth : kWhole, {pair.self, pair.other}),
              pair.dtype);
}

template <const char* kWhole, const char* kTruth>
void lower_bits(Lowering& op) {
    bits<kWhole, kTruth>(op, common_operands(op, "self", "other"));
}

template <const char* kWhole, const char* kTruth>
void lower_bits_scalar(Lowering& op) {
    bits<kWhole, kTruth>(op, scalar_operands(op, "self", "other"));
}

void lower_not(Lowering& op) {
    const DType dtype = op.declared("self");
    if (is_float(dtype)) op.reject("integers or bool are needed");
    op.result(op.launch(dtype == DType::kBool ? "LogicalNot" : "Invert", {op.raw("self")}), dtype);
}

template <const char* kKernel>
void lower_shift_scalar(Lowering& op) {
    const Operands pair = scalar_operands(op, "self", "other");
    if (is_float(pair.dtype)) op.reject("integers are needed");
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

void lower_is_finite(Lowering& op) {
    if (is_float(op.declared("self")))
        op.result(op.launch("IsFinite", {op.tensor("self")}), DType::kBool);
    else
        op.result(op.launch("OnesLike", {Tensor(DType::kBool, op.raw("self").shape())}),
                  DType::kBool);
}

constexpr char kAnd[] = "BitwiseAnd";
constexpr char kOr[] = "BitwiseOr";
constexpr char kXor[] = "BitwiseXor";
constexpr char kTruthAnd[] = "LogicalAnd";
constexpr char kTruthOr[] = "LogicalOr";
constexpr char kTruthXor[] = "LogicalXor";
constexpr char kLeft[] = "LeftShift";
constexpr char kRight[] = "RightShift";

constexpr auto kRows = std::to_array<OpRow>({
    {"bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
     "BitwiseAnd, or LogicalAnd for bool",
     "table",
     lower_bits<kAnd, kTruthAnd>},
    {"bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor",
     "BitwiseAnd, or LogicalAnd for bool",
     "table",
     lower_bits_scalar<kAnd, kTruthAnd>},
    {"bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
     "BitwiseOr, or LogicalOr for bool",
     "table",
     lower_bits<kOr, kTruthOr>},
    {"bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor",
     "BitwiseOr, or LogicalOr for bool",
     "table",
     lower_bits_scalar<kOr, kTruthOr>},
    {"bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
     "BitwiseXor, or LogicalXor for bool",
     "table",
     lower_bits<kXor, kTruthXor>},
    {"bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor",
     "BitwiseXor, or LogicalXor for bool",
     "table",
     lower_bits_scalar<kXor, kTruthXor>},
    {"bitwise_not(Tensor self) -> Tensor", "Invert, or LogicalNot for bool", "table", lower_not},
    {"bitwise_left_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
     "LeftShift",
     "ours",
     lower_shift_scalar<kLeft>},
    {"bitwise_right_shift.Tensor_Scalar(Tensor self, Scalar other) -> Tensor",
     "RightShift",
     "ours",
     lower_shift_scalar<kRight>},
    {"isfinite(Tensor self) -> Tensor",
     "IsFinite; OnesLike for integers",
     "table",
     lower_is_finite},
});

}  // namespace

extern const std::span<const OpRow> k_bits_ops;
const std::span<const OpRow> k_bits_ops = kRows;

}  // namespace npuscope::backend
