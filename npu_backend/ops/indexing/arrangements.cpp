// Tensors joined, and elements taken by their numbers.
#include <algorithm>
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

void lower_cat(Lowering& op) {
    // A rank-1 tensor without elements takes no part, whatever the others look like.
    TensorList parts;
    for (const Tensor& part : op.raw_list("tensors"))
        if (part.ndim() != 1 || part.numel() != 0) parts.push_back(part);
    if (op.raw_list("tensors").empty()) op.reject("tensors is empty");
    if (parts.empty()) parts.push_back(op.raw_list("tensors")[0]);
    const DType dtype = result_type(parts);
    const int64_t axis = normalized_axis(op.integer("dim"), parts[0].ndim());
    if (parts[0].ndim() == 0) op.reject("a tensor without dimensions cannot be joined");
    const bool alike = std::all_of(
        parts.begin(), parts.end(), [&](const Tensor& part) { return part.dtype() == dtype; });
    if (!alike)
        for (Tensor& part : parts)
            part = op.cast(op.held(part), dtype);
    const auto count = static_cast<int64_t>(parts.size());
    op.result(op.launch("ConcatD", std::move(parts), {{"concat_dim", axis}, {"N", count}}), dtype);
}

void lower_index_select(Lowering& op) {
    if (op.raw("self").ndim() == 0 || op.raw("index").ndim() > 1)
        op.reject("self needs a dimension and index at most one");
    const Tensor index = op.raw("index").reshaped({-1});
    const int64_t axis = normalized_axis(op.integer("dim"), op.raw("self").ndim());
    op.result(op.launch("GatherV2", {op.raw("self"), index}, {{"axis", axis}}),
              op.declared("self"));
}

void lower_gather(Lowering& op) {
    const int64_t axis = normalized_axis(op.integer("dim"), op.raw("self").ndim());
    op.result(op.launch("GatherElements", {op.raw("self"), op.raw("index")}, {{"dim", axis}}),
              op.declared("self"));
}

void lower_stack(Lowering& op) {
    const TensorList& given = op.raw_list("tensors");
    if (given.empty()) op.reject("tensors is empty");
    const DType dtype = result_type(given);
    const int64_t axis = normalized_axis(op.integer("dim"), given[0].ndim() + 1);
    Shape shape = given[0].shape();
    shape.insert(shape.begin() + axis, 1);
    std::vector<Tensor> parts;
    for (const Tensor& part : given) {
        if (part.shape() != given[0].shape()) op.reject("the tensors differ in shape");
        const Tensor own = part.dtype() == dtype ? part : op.cast(op.held(part), dtype);
        parts.push_back(own.reshaped(shape));
    }
    // Mixed dtypes under a reference: some are widened, some are as given.
    const bool mixed = std::ranges::any_of(
        parts, [&](const Tensor& part) { return part.dtype() != parts[0].dtype(); });
    for (Tensor& part : parts)
        if (mixed) part = op.held(part);
    const auto count = static_cast<int64_t>(parts.size());
    op.result(op.launch("Pack", std::move(parts), {{"axis", axis}, {"N", count}}), dtype);
}

void lower_take(Lowering& op) {
    const Tensor& self = op.raw("self");
    op.result(op.launch("GatherV2", {self.reshaped({-1}), op.raw("index")}, {{"axis", int64_t{0}}}),
              self.dtype());
}

}  // namespace

std::span<const OpRow> arrangements_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "cat(Tensor[] tensors, int dim=0) -> Tensor",
         .launches = {"ConcatD"},
         .source = "spec",
         .lower = lower_cat},
        {.schema = "index_select(Tensor self, int dim, Tensor index) -> Tensor",
         .launches = {"GatherV2"},
         .source = "spec",
         .lower = lower_index_select},
        {.schema =
             "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
         .launches = {"GatherElements"},
         .source = "table",
         .lower = lower_gather},
        {.schema = "stack(Tensor[] tensors, int dim=0) -> Tensor",
         .launches = {"Pack"},
         .source = "table",
         .lower = lower_stack},
        {.schema = "take(Tensor self, Tensor index) -> Tensor",
         .launches = {"GatherV2"},
         .note = "GatherV2 (CANN: Gather)",
         .lower = lower_take},
    });
    return kRows;
}

}  // namespace npuscope::backend
