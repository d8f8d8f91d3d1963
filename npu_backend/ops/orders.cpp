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

void lower_triangle(Lowering& op) {
    if (op.raw("self").ndim() < 2) op.reject("self needs two dimensions");
    op.result(op.launch(op.kernel(), {op.raw("self")}, {{"diagonal", op.integer("diagonal")}}),
              op.declared("self"));
}

void lower_nonzero(Lowering& op) {
    op.result(op.launch("NonZero", {op.raw("self")}), DType::kInt64);
}

}  // namespace

std::span<const OpRow> orders_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
         .launches = {"Cumsum"},
         .note = "Cumsum; integers stay exact",
         .source = "table",
         .lower = lower_cumsum,
         .sum = "result"},
        {.schema = "prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? "
                   "dtype=None) -> Tensor",
         .launches = {"ReduceProd"},
         .note = "ReduceProd; integers stay exact",
         .source = "table",
         .lower = lower_prod},
        {.schema = "sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor "
                   "indices)",
         .launches = {"Sort"},
         .source = "table",
         .lower = lower_sort},
        {.schema = "topk(Tensor self, int k, int dim=-1, bool largest=True, bool sorted=True) -> "
                   "(Tensor values, Tensor indices)",
         .launches = {"TopKV2"},
         .source = "table",
         .lower = lower_topk},
        {.schema = "tril(Tensor self, int diagonal=0) -> Tensor",
         .launches = {"Tril"},
         .source = "table",
         .lower = lower_triangle},
        {.schema = "triu(Tensor self, int diagonal=0) -> Tensor",
         .launches = {"Triu"},
         .source = "table",
         .lower = lower_triangle},
        {.schema = "nonzero(Tensor self) -> Tensor",
         .launches = {"NonZero"},
         .source = "table",
         .lower = lower_nonzero},
    });
    return kRows;
}

}  // namespace npuscope::backend
