// Truth values, bits and remainders.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// Anything that is not 0 is true.
Tensor truth(Lowering& op, const char* name) {
    return op.cast(op.tensor(name), DType::kBool);
}

template <const char* kKernel>
void lower_truth(Lowering& op) {
    op.result(op.launch(kKernel, {truth(op, "self"), truth(op, "other")}), DType::kBool);
}

void lower_not(Lowering& op) {
    op.result(op.launch("LogicalNot", {truth(op, "self")}), DType::kBool);
}

template <const char* kKernel>
void lower_pair(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

/// Integers are neither nan nor infinite.
template <const char* kKernel>
void lower_test(Lowering& op) {
    if (!is_float(op.declared("self"))) {
        op.result(Tensor::zeros(DType::kBool, op.raw("self").shape()), DType::kBool);
        return;
    }
    op.result(op.launch(kKernel, {op.tensor("self")}), DType::kBool);
}

constexpr char kAnd[] = "LogicalAnd";
constexpr char kOr[] = "LogicalOr";
constexpr char kXor[] = "LogicalXor";
constexpr char kLeft[] = "LeftShift";
constexpr char kRight[] = "RightShift";
constexpr char kMod[] = "Mod";
constexpr char kFloorMod[] = "FloorMod";
constexpr char kIsNan[] = "IsNan";
constexpr char kIsInf[] = "IsInf";

constexpr auto kRows = std::to_array<OpRow>({
    {"logical_and(Tensor self, Tensor other) -> Tensor", "LogicalAnd", "table", lower_truth<kAnd>},
    {"logical_or(Tensor self, Tensor other) -> Tensor", "LogicalOr", "table", lower_truth<kOr>},
    {"logical_xor(Tensor self, Tensor other) -> Tensor", "LogicalXor", "ours", lower_truth<kXor>},
    {"logical_not(Tensor self) -> Tensor", "LogicalNot", "table", lower_not},
    {"bitwise_left_shift.Tensor(Tensor self, Tensor other) -> Tensor",
     "LeftShift",
     "ours",
     lower_pair<kLeft>},
    {"bitwise_right_shift.Tensor(Tensor self, Tensor other) -> Tensor",
     "RightShift",
     "ours",
     lower_pair<kRight>},
    {"fmod.Tensor(Tensor self, Tensor other) -> Tensor", "Mod", "ours", lower_pair<kMod>},
    {"remainder.Tensor(Tensor self, Tensor other) -> Tensor",
     "FloorMod",
     "table",
     lower_pair<kFloorMod>},
    {"isnan(Tensor self) -> Tensor", "IsNan", "ours", lower_test<kIsNan>},
    {"isinf(Tensor self) -> Tensor", "IsInf", "ours", lower_test<kIsInf>},
});

}  // namespace

extern const std::span<const OpRow> k_logic_ops;
const std::span<const OpRow> k_logic_ops = kRows;

}  // namespace npuscope::backend
