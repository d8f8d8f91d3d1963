// Ops that write one number everywhere, or another tensor.
#include <algorithm>
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// `kernel` on a tensor of this dtype and shape. Numbers that a float holds round once.
void give(Lowering& op, const char* kernel, DType dtype, const Shape& shape, double value = 0) {
    op.result(op.launch(kernel, {Tensor(op.numerics().held(dtype), shape)}, {{"value", value}}),
              dtype);
}

DType asked(const Lowering& op) {
    return op.dtype("dtype").value_or(op.declared("self"));
}

void lower_zeros_like(Lowering& op) {
    give(op, "ZerosLike", asked(op), op.raw("self").shape());
}

void lower_ones_like(Lowering& op) {
    give(op, "OnesLike", asked(op), op.raw("self").shape());
}

void lower_new_zeros(Lowering& op) {
    give(op, "ZerosLike", asked(op), op.ints("size"));
}

void lower_zero(Lowering& op) {
    give(op, "ZerosLike", op.declared("self"), op.raw("self").shape());
}

void lower_fill(Lowering& op) {
    give(op, "Fill", op.declared("self"), op.raw("self").shape(), op.number("value"));
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

/// Elements of the C-order tensor by strides of the caller's; the storage outside it is unknown.
void lower_as_strided(Lowering& op) {
    const Tensor& self = op.raw("self");
    const Strided layout{op.ints("size"),
                         op.ints("stride"),
                         op.has("storage_offset") ? op.integer("storage_offset") : 0};
    if (layout.shape.size() != layout.strides.size())
        op.reject("size and stride need one number a dimension each");
    int64_t last = layout.offset;
    bool inside = last >= 0;
    for (size_t i = 0; inside && i < layout.shape.size(); ++i) {
        int64_t step = 0;
        inside = layout.strides[i] >= 0 && layout.shape[i] >= 0 &&
                 !__builtin_mul_overflow(
                     layout.strides[i], std::max<int64_t>(layout.shape[i] - 1, 0), &step) &&
                 !__builtin_add_overflow(last, step, &last);
    }
    if (!inside || (numel_of(layout.shape) > 0 && last >= self.numel()))
        op.reject("size and stride leave the tensor's elements");
    op.result(gather(self, layout), self.dtype());
}

}  // namespace

std::span<const OpRow> fills_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema =
             "zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         .launches = {"ZerosLike"},
         .source = "indirect",
         .lower = lower_zeros_like},
        {.schema =
             "ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         .launches = {"OnesLike"},
         .source = "indirect",
         .lower = lower_ones_like},
        {.schema = "new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"ZerosLike"},
         .lower = lower_new_zeros},
        {.schema = "zero_(Tensor self) -> Tensor self",
         .launches = {"ZerosLike"},
         .source = "spec",
         .lower = lower_zero},
        {.schema = "fill_.Scalar(Tensor self, Scalar value) -> Tensor self",
         .launches = {"Fill"},
         .source = "table",
         .lower = lower_fill},
        {.schema = "copy_(Tensor self, Tensor src, bool non_blocking=False) -> Tensor self",
         .launches = {"Identity", "Cast"},
         .note = "Identity, or Cast when the dtype changes",
         .source = "indirect",
         .lower = lower_copy},
        {.schema = "copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
         .launches = {"Identity", "Cast"},
         .note = "Identity, or Cast when the dtype changes",
         .source = "indirect",
         .lower = lower_copy},
        {.schema = "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> "
                   "Tensor",
         .source = "spec",
         .lower = lower_as_strided},
        {.schema = "as_strided_(Tensor self, int[] size, int[] stride, int? storage_offset=None) "
                   "-> Tensor self",
         .lower = lower_as_strided},
    });
    return kRows;
}

}  // namespace npuscope::backend
