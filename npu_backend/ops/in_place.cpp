// In-place forms: the op of the same name without _, its result stored into self.
#include <array>

#include "core/base/error.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

template <const char* kPlain>
void lower_in_place(Lowering& op) {
    const Op* plain = find_op(kPlain);
    if (plain == nullptr) throw Error(ErrorKind::kInternal, std::string("no op ") + kPlain);
    plain->row->lower(op);
    op.store_result("self");
}

constexpr char kAdd[] = "add_Tensor";
constexpr char kAddScalar[] = "add_Scalar";
constexpr char kSub[] = "sub_Tensor";
constexpr char kSubScalar[] = "sub_Scalar";
constexpr char kMul[] = "mul_Tensor";
constexpr char kMulScalar[] = "mul_Scalar";
constexpr char kDiv[] = "div_Tensor";
constexpr char kDivScalar[] = "div_Scalar";
constexpr char kSqrt[] = "sqrt";
constexpr char kNeg[] = "neg";
constexpr char kReciprocal[] = "reciprocal";
constexpr char kRelu[] = "relu";

constexpr auto kRows = std::to_array<OpRow>({
    {"add_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor self",
     "Add, or Axpy when alpha is not 1",
     "spec",
     lower_in_place<kAdd>},
    {"add_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor self",
     "Add, or Axpy when alpha is not 1",
     "table",
     lower_in_place<kAddScalar>},
    {"sub_.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor self",
     "Sub, after Muls(other, alpha) when alpha is not 1",
     "table",
     lower_in_place<kSub>},
    {"sub_.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor self",
     "Sub, after Muls(other, alpha) when alpha is not 1",
     "table",
     lower_in_place<kSubScalar>},
    {"mul_.Tensor(Tensor self, Tensor other) -> Tensor self", "Mul", "spec", lower_in_place<kMul>},
    {"mul_.Scalar(Tensor self, Scalar other) -> Tensor self",
     "Mul",
     "table",
     lower_in_place<kMulScalar>},
    {"div_.Tensor(Tensor self, Tensor other) -> Tensor self",
     "RealDiv",
     "spec",
     lower_in_place<kDiv>},
    {"div_.Scalar(Tensor self, Scalar other) -> Tensor self",
     "RealDiv",
     "table",
     lower_in_place<kDivScalar>},
    {"sqrt_(Tensor self) -> Tensor self", "Sqrt", "table", lower_in_place<kSqrt>},
    {"neg_(Tensor self) -> Tensor self", "Neg", "table", lower_in_place<kNeg>},
    {"reciprocal_(Tensor self) -> Tensor self", "Reciprocal", "table", lower_in_place<kReciprocal>},
    {"relu_(Tensor self) -> Tensor self", "Relu", "spec", lower_in_place<kRelu>},
});

}  // namespace

extern const std::span<const OpRow> k_in_place_ops;
const std::span<const OpRow> k_in_place_ops = kRows;

}  // namespace npuscope::backend
