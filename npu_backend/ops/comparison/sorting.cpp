// Elements in order, and where they were.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

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

}  // namespace

std::span<const OpRow> sorting_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
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
    });
    return kRows;
}

}  // namespace npuscope::backend
