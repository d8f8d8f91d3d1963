// Element-wise ops.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

struct Pair {
    Tensor self;
    Tensor other;
    DType dtype;
};

/// Both operands in their common dtype; `to_float` makes integers float32.
Pair common(Lowering& op, const char* left, const char* right, bool to_float = false) {
    const std::array<Tensor, 2> given = {op.raw(left), op.raw(right)};
    DType dtype = result_type(given);
    if (to_float) dtype = float_type(dtype);
    return {op.cast(op.tensor(left), dtype), op.cast(op.tensor(right), dtype), dtype};
}

/// Kernels of one input that integers have too.
template <const char* kKernel>
void lower_number(Lowering& op) {
    op.result(op.launch(kKernel, {op.tensor("self")}), op.declared("self"));
}

/// Kernels of one input that give floats.
template <const char* kKernel>
void lower_float(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch(kKernel, {op.cast(op.tensor("self"), dtype)}), dtype);
}

void lower_add(Lowering& op) {
    const Pair pair = common(op, "self", "other");
    const double alpha = op.number("alpha");
    op.result(alpha == 1.0 ? op.launch("Add", {pair.self, pair.other})
                           : op.launch("Axpy", {pair.self, pair.other}, {{"alpha", alpha}}),
              pair.dtype);
}

void lower_sub(Lowering& op) {
    Pair pair = common(op, "self", "other");
    const double alpha = op.number("alpha");
    if (alpha != 1.0 && !is_float(pair.dtype)) {
        op.result(op.launch("Axpy", {pair.self, pair.other}, {{"alpha", -alpha}}), pair.dtype);
        return;
    }
    if (alpha != 1.0) pair.other = op.launch("Muls", {pair.other}, {{"value", alpha}});
    op.result(op.launch("Sub", {pair.self, pair.other}), pair.dtype);
}

template <const char* kKernel>
void lower_binary(Lowering& op) {
    const Pair pair = common(op, "self", "other");
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

void lower_div(Lowering& op) {
    const Pair pair = common(op, "self", "other", true);
    op.result(op.launch("RealDiv", {pair.self, pair.other}), pair.dtype);
}

constexpr char kRelu[] = "Relu";
constexpr char kNeg[] = "Neg";
constexpr char kAbs[] = "Abs";
constexpr char kSqrt[] = "Sqrt";
constexpr char kExp[] = "Exp";
constexpr char kLog[] = "Log";
constexpr char kErf[] = "Erf";
constexpr char kMul[] = "Mul";
constexpr char kMaximum[] = "Maximum";
constexpr char kMinimum[] = "Minimum";

constexpr auto kRows = std::to_array<OpRow>({
    {"relu(Tensor self) -> Tensor", "Relu", "spec", lower_number<kRelu>},
    {"neg(Tensor self) -> Tensor", "Neg", "table", lower_number<kNeg>},
    {"abs(Tensor self) -> Tensor", "Abs", "table", lower_number<kAbs>},
    {"sqrt(Tensor self) -> Tensor", "Sqrt", "table", lower_float<kSqrt>},
    {"exp(Tensor self) -> Tensor", "Exp", "table", lower_float<kExp>},
    {"log(Tensor self) -> Tensor", "Log", "table", lower_float<kLog>},
    {"erf(Tensor self) -> Tensor", "Erf", "table", lower_float<kErf>},
    {"add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     "Add, or Axpy when alpha is not 1",
     "spec",
     lower_add},
    {"sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     "Sub, after Muls(other, alpha) when alpha is not 1",
     "table",
     lower_sub},
    {"mul.Tensor(Tensor self, Tensor other) -> Tensor", "Mul", "spec", lower_binary<kMul>},
    {"div.Tensor(Tensor self, Tensor other) -> Tensor", "RealDiv", "spec", lower_div},
    {"maximum(Tensor self, Tensor other) -> Tensor", "Maximum", "ours", lower_binary<kMaximum>},
    {"minimum(Tensor self, Tensor other) -> Tensor", "Minimum", "ours", lower_binary<kMinimum>},
});

}  // namespace

extern const std::span<const OpRow> k_pointwise_ops;
const std::span<const OpRow> k_pointwise_ops = kRows;

}  // namespace npuscope::backend
