// Ops that copy elements to other places, and dtype changes.
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

void take(Lowering& op, const char* from, const char* places, int64_t axis) {
    op.result(op.launch("GatherV2", {op.raw(from), op.raw(places)}, {{"axis", axis}}),
              op.declared(from));
}

void lower_index_select(Lowering& op) {
    if (op.raw("self").ndim() == 0 || op.raw("index").ndim() > 1)
        op.reject("self needs a dimension and index at most one");
    const Tensor index = op.raw("index").reshaped({-1});
    const int64_t axis = normalized_axis(op.integer("dim"), op.raw("self").ndim());
    op.result(op.launch("GatherV2", {op.raw("self"), index}, {{"axis", axis}}),
              op.declared("self"));
}

void lower_embedding(Lowering& op) {
    if (op.raw("weight").ndim() != 2) op.reject("weight must have 2 dimensions");
    take(op, "weight", "indices", 0);
}

void lower_gather(Lowering& op) {
    const int64_t axis = normalized_axis(op.integer("dim"), op.raw("self").ndim());
    op.result(op.launch("GatherElements", {op.raw("self"), op.raw("index")}, {{"dim", axis}}),
              op.declared("self"));
}

void lower_clone(Lowering& op) {
    op.result(op.launch("Identity", {op.raw("self")}), op.declared("self"));
}

void lower_to_copy(Lowering& op) {
    const DType dtype = op.dtype("dtype").value_or(op.declared("self"));
    if (dtype == op.declared("self")) {
        lower_clone(op);
        return;
    }
    op.result(op.cast(op.tensor("self"), dtype), dtype);
}

void lower_pad(Lowering& op) {
    const Tensor& self = op.raw("self");
    const IntList& pad = op.ints("pad");
    if (pad.size() % 2 != 0 || static_cast<int64_t>(pad.size() / 2) > self.ndim())
        op.reject("pad needs a pair of numbers for each of at most " + std::to_string(self.ndim()) +
                  " dimensions");
    // ATen counts from the last dimension, CANN from the first.
    IntList paddings(static_cast<size_t>(self.ndim()) * 2, 0);
    for (size_t i = 0; i < pad.size() / 2; ++i) {
        const size_t axis = static_cast<size_t>(self.ndim()) - 1 - i;
        paddings[2 * axis] = pad[2 * i];
        paddings[2 * axis + 1] = pad[2 * i + 1];
    }
    const auto* whole = std::get_if<int64_t>(&op.scalar("value").number);
    const Tensor value = (whole != nullptr ? Tensor::scalar<int64_t>(*whole)
                                           : Tensor::scalar<double>(op.scalar("value").to_double()))
                             .cast(self.dtype());
    op.result(op.launch("PadV3", {self, value}, {{"paddings", paddings}}), self.dtype());
}

void argument_of_extreme(Lowering& op, const char* kernel) {
    Tensor self = op.tensor("self");
    if (!op.has("dim")) self = self.reshaped({-1});
    const int64_t axis =
        op.has("dim") ? normalized_axis(op.integer("dim"), self.ndim()) : int64_t{0};
    const bool keep = op.flag("keepdim");
    Tensor index =
        op.launch(kernel, {self}, {{"axes", IntList{axis}}, {"keep_dims", keep && op.has("dim")}});
    if (keep && !op.has("dim"))
        index = index.reshaped(Shape(static_cast<size_t>(op.raw("self").ndim()), 1));
    op.result(std::move(index), DType::kInt64);
}

void lower_argmax(Lowering& op) {
    argument_of_extreme(op, "ArgMaxV2");
}

void lower_argmin(Lowering& op) {
    argument_of_extreme(op, "ArgMin");
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
        {.schema = "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool "
                   "scale_grad_by_freq=False, bool sparse=False) -> Tensor",
         .launches = {"GatherV2"},
         .source = "spec",
         .lower = lower_embedding},
        {.schema =
             "gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor",
         .launches = {"GatherElements"},
         .source = "table",
         .lower = lower_gather},
        {.schema = "clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
         .launches = {"Identity"},
         .lower = lower_clone},
        {.schema = "_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? "
                   "memory_format=None) -> Tensor",
         .launches = {"Cast", "Identity"},
         .note = "Cast, or Identity when the dtype stays",
         .source = "spec",
         .lower = lower_to_copy},
        {.schema = "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
         .launches = {"PadV3"},
         .source = "table",
         .lower = lower_pad},
        {.schema = "argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
         .launches = {"ArgMaxV2"},
         .source = "table",
         .lower = lower_argmax},
        {.schema = "argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor",
         .launches = {"ArgMin"},
         .source = "table",
         .lower = lower_argmin},
    });
    return kRows;
}

}  // namespace npuscope::backend
