// Storage without values, other storage, copies, and other dtypes.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// Storage has no values; zeros here, so that runs repeat.
void allocate(Lowering& op, DType dtype, const Shape& shape) {
    for (const int64_t size : shape)
        if (size < 0) op.reject("a size is negative");
    op.result(Tensor::zeros(op.numerics().held(dtype), shape), dtype);
}

/// Like self where there is a self, of size where there is a size.
void lower_empty(Lowering& op) {
    const DType own = op.declares("self") ? op.declared("self") : DType::kFloat32;
    allocate(op,
             op.dtype("dtype").value_or(own),
             op.declares("size") ? op.ints("size") : op.raw("self").shape());
}

/// Elements that are kept stay in place, new ones are 0.
void lower_resize_storage(Lowering& op) {
    const Tensor& self = op.raw("self");
    const int64_t wanted = numel_of(op.ints("size"));
    Tensor flat = self.reshaped({-1});
    flat =
        op.computed("constant_pad_nd", {{"self", flat}, {"pad", IntList{0, wanted - self.numel()}}})
            .at(0);
    op.result(flat.reshaped(op.ints("size")), self.dtype());
}

void lower_copy(Lowering& op) {
    const Tensor& self = op.raw("self");
    const Tensor& source = op.raw("src");
    Tensor value = source.dtype() == self.dtype() ? op.launch("Identity", {source})
                                                  : op.cast(op.tensor("src"), self.dtype());
    if (value.shape() != self.shape()) {
        const Strided layout{self.shape(), broadcast_strides(value.shape(), self.shape()), 0};
        value = gather(value, layout);
    }
    op.result(std::move(value), self.dtype());
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

}  // namespace

std::span<const OpRow> storage_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "empty.memory_format(int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
                   "memory_format=None) -> Tensor",
         .note = "none; zeros",
         .lower = lower_empty},
        {.schema = "empty_strided(int[] size, int[] stride, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .note = "none; zeros",
         .lower = lower_empty},
        {.schema =
             "empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         .note = "none; zeros",
         .lower = lower_empty},
        {.schema = "new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .note = "none; zeros",
         .lower = lower_empty},
        {.schema =
             "new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .note = "none; zeros",
         .lower = lower_empty},
        {.schema =
             "resize_(Tensor self, int[] size, *, MemoryFormat? memory_format=None) -> Tensor self",
         .launches = {"PadV3"},
         .lower = lower_resize_storage},
        {.schema = "copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
         .launches = {"Identity", "Cast"},
         .note = "Identity, or Cast when the dtype changes",
         .source = "indirect",
         .lower = lower_copy},
        {.schema = "copy_(Tensor self, Tensor src, bool non_blocking=False) -> Tensor self",
         .launches = {"Identity", "Cast"},
         .note = "Identity, or Cast when the dtype changes",
         .source = "indirect",
         .lower = lower_copy},
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
    });
    return kRows;
}

}  // namespace npuscope::backend
