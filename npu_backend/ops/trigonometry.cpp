// Circular and hyperbolic functions, their inverses, sign and softplus.
#include <array>

#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

template <const char* kKernel>
void lower_float(Lowering& op) {
    const DType dtype = float_type(op.declared("self"));
    op.result(op.launch(kKernel, {op.cast(op.tensor("self"), dtype)}), dtype);
}

void lower_sign(Lowering& op) {
    op.result(op.launch("Sign", {op.tensor("self")}), op.declared("self"));
}

/// The kernel knows no beta, and no threshold: above 20 it is the identity in float32 anyway.
void lower_softplus(Lowering& op) {
    const double beta = op.number("beta");
    if (op.number("threshold") < 20) op.reject("a threshold below 20 is not supported");
    Tensor x = op.tensor("self");
    if (beta != 1) x = op.launch("Muls", {x}, {{"value", beta}});
    x = op.launch("SoftplusV2", {x});
    if (beta != 1) x = op.launch("Muls", {x}, {{"value", 1 / beta}});
    op.result(x, op.declared("self"));
}

constexpr char kTan[] = "Tan";
constexpr char kAsin[] = "Asin";
constexpr char kAcos[] = "Acos";
constexpr char kAtan[] = "Atan";
constexpr char kSinh[] = "Sinh";
constexpr char kCosh[] = "Cosh";
constexpr char kAsinh[] = "Asinh";
constexpr char kAcosh[] = "Acosh";
constexpr char kAtanh[] = "Atanh";

constexpr auto kRows = std::to_array<OpRow>({
    {"tan(Tensor self) -> Tensor", "Tan", "table", lower_float<kTan>},
    {"asin(Tensor self) -> Tensor", "Asin", "table", lower_float<kAsin>},
    {"acos(Tensor self) -> Tensor", "Acos", "table", lower_float<kAcos>},
    {"atan(Tensor self) -> Tensor", "Atan", "table", lower_float<kAtan>},
    {"sinh(Tensor self) -> Tensor", "Sinh", "table", lower_float<kSinh>},
    {"cosh(Tensor self) -> Tensor", "Cosh", "table", lower_float<kCosh>},
    {"asinh(Tensor self) -> Tensor", "Asinh", "ours", lower_float<kAsinh>},
    {"acosh(Tensor self) -> Tensor", "Acosh", "ours", lower_float<kAcosh>},
    {"atanh(Tensor self) -> Tensor", "Atanh", "ours", lower_float<kAtanh>},
    {"sign(Tensor self) -> Tensor", "Sign", "table", lower_sign},
    {"softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor",
     "SoftplusV2; Muls around it when beta is not 1",
     "table",
     lower_softplus},
});

}  // namespace

extern const std::span<const OpRow> k_trigonometry_ops;
const std::span<const OpRow> k_trigonometry_ops = kRows;

}  // namespace npuscope::backend
