// And, or, exclusive or and complement of bits.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

template <const char* kKernel>
void lower_pair(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

void lower_not(Lowering& op) {
    op.result(op.launch("Invert", {op.tensor("self")}), op.declared("self"));
}

constexpr char kAnd[] = "BitwiseAnd";
constexpr char kOr[] = "BitwiseOr";
constexpr char kXor[] = "BitwiseXor";

constexpr auto kRows = std::to_array<OpRow>({
    {"bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
     "BitwiseAnd",
     "ours",
     lower_pair<kAnd>},
    {"bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
     "BitwiseOr",
     "ours",
     lower_pair<kOr>},
    {"bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
     "BitwiseXor",
     "ours",
     lower_pair<kXor>},
    {"bitwise_not(Tensor self) -> Tensor", "Invert", "ours", lower_not},
});

}  // namespace

extern const std::span<const OpRow> k_bits_ops;
const std::span<const OpRow> k_bits_ops = kRows;

}  // namespace npuscope::backend
