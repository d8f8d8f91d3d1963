// Ops that run along one axis or choose places: cumsum, prod, sort, topk, tril, triu, nonzero.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

DType sum_type(const Lowering& op) {
    const DType own = op.declared("self");
    return op.dtype("dtype").value_or(is_float(own) ? own : DType::kInt64);
}

void lower_cumsum(Lowering& op) {
    const DType dtype = sum_type(op);
    const Tensor x = op.cast(op.tensor("self"), dtype);
    if (x.ndim() == 0) {
        op.result(x, dtype);
        return;
    }
    const int64_t axis = normalized_axis(op.integer("dim"), x.ndim());
    op.result(op.launch("Cumsum", {x}, {{"axis", axis}, {"exclusive", false}, {"reverse", false}}),
              dtype);
}

void lower_prod(Lowering& op) {
    const DType dtype = sum_type(op);
    const Tensor x = op.cast(op.tensor("self"), dtype);
    const int64_t axis = normalized_axis(op.integer("dim"), x.ndim());
    op.result(
        op.launch("ReduceProd", {x}, {{"axes", IntList{axis}}, {"keep_dims", op.flag("keepdim")}}),
        dtype);
}

void give_pair(Lowering& op, std::vector<Tensor> pair) {
    op.result(std::move(pair.at(0)), op.declared("self"));
    op.result(std::move(pair.at(1)), DType::kInt64);
}

/// A tensor without dimensions is sorted as one of a single element.
void lower_sort(Lowering& op) {
    const Tensor& self = op.raw("self");
    const int64_t axis = normalized_axis(op.integer("dim"), self.ndim());
    if (self.ndim() == 0) {
        give_pair(op, {self, Tensor::scalar<int64_t>(0)});
        return;
    }
    give_pair(
        op, op.launch_all("Sort", {self}, {{"axis", axis}, {"descending", op.flag("descending")}}));
}

void lower_topk(Lowering& op) {
    const Tensor& self = op.raw("self");
    if (self.ndim() == 0) op.reject("self has no dimensions");
    const int64_t axis = normalized_axis(op.integer("dim"), self.ndim());
    give_pair(op,
              op.launch_all("TopKV2",
                            {self},
                            {{"dim", axis},
                             {"k", op.integer("k")},
                             {"largest", op.flag("largest")},
                             {"sorted", op.flag("sorted")}}));
}

template <const char* kKernel>
void lower_triangle(Lowering& op) {
    if (op.raw("self").ndim() < 2) op.reject("self needs two dimensions");
    op.result(op.launch(kKernel, {op.raw("self")}, {{"diagonal", op.integer("diagonal")}}),
              op.declared("self"));
}

void lower_nonzero(Lowering& op) {
    op.result(op.launch("NonZero", {op.raw("self")}), DType::kInt64);
}

constexpr char kTril[] = "Tril";
constexpr char kTriu[] = "Triu";

constexpr auto kRows = std::to_array<OpRow>({
    {"cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
     "Cumsum; integers stay exact",
     "table",
     lower_cumsum,
     "result"},
    {"prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     "ReduceProd; integers stay exact",
     "table",
     lower_prod},
    {"sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)",
     "Sort",
     "table",
     lower_sort},
    {"topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, "
     "Tensor indices)",
     "TopKV2",
     "table",
     lower_topk},
    {"tril(Tensor self, int diagonal=0) -> Tensor", "Tril", "table", lower_triangle<kTril>},
    {"triu(Tensor self, int diagonal=0) -> Tensor", "Triu", "table", lower_triangle<kTriu>},
    {"nonzero(Tensor self) -> Tensor", "NonZero", "table", lower_nonzero},
});

}  // namespace

extern const std::span<const OpRow> k_orders_ops;
const std::span<const OpRow> k_orders_ops = kRows;

}  // namespace npuscope::backend
