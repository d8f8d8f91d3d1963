// Tensors from numbers: sequences, constants, and storage without values.
#include <array>
#include <cmath>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void give(Lowering& op,
          std::string_view kernel,
          DType dtype,
          const Shape& shape,
          NamedValues values = {}) {
    for (const int64_t size : shape)
        if (size < 0) op.reject("a size is negative");
    op.result(op.launch(kernel, {Tensor(op.numerics().held(dtype), shape)}, std::move(values)),
              dtype);
}

bool is_whole(const Scalar& scalar) {
    return !std::holds_alternative<double>(scalar.number);
}

/// int64 for integers, bool for truths, else PyTorch's default float32.
DType natural(const Scalar& scalar) {
    if (std::holds_alternative<bool>(scalar.number)) return DType::kBool;
    return is_whole(scalar) ? DType::kInt64 : DType::kFloat32;
}

void range(Lowering& op, const Scalar& start, const Scalar& end, const Scalar& step) {
    const bool whole = is_whole(start) && is_whole(end) && is_whole(step);
    const DType dtype = op.dtype("dtype").value_or(whole ? DType::kInt64 : DType::kFloat32);
    const double delta = step.to_double();
    const double length = (end.to_double() - start.to_double()) / delta;
    if (delta == 0 || !std::isfinite(length) || length < 0)
        op.reject("step does not lead from start to end");
    const auto count = static_cast<int64_t>(std::ceil(length));
    give(op, "Range", dtype, {count}, {{"start", start.to_double()}, {"delta", delta}});
}

void lower_arange(Lowering& op) {
    range(op, Scalar{int64_t{0}}, op.scalar("end"), Scalar{int64_t{1}});
}

void lower_arange_start(Lowering& op) {
    range(op, op.scalar("start"), op.scalar("end"), Scalar{int64_t{1}});
}

void lower_arange_step(Lowering& op) {
    range(op, op.scalar("start"), op.scalar("end"), op.scalar("step"));
}

void lower_linspace(Lowering& op) {
    const int64_t steps = op.integer("steps");
    if (steps < 0) op.reject("steps must not be negative");
    give(op,
         "LinSpace",
         op.dtype("dtype").value_or(DType::kFloat32),
         {steps},
         {{"start", op.number("start")}, {"stop", op.number("end")}});
}

void lower_eye(Lowering& op) {
    give(
        op, "Eye", op.dtype("dtype").value_or(DType::kFloat32), {op.integer("n"), op.integer("n")});
}

void lower_eye_m(Lowering& op) {
    give(
        op, "Eye", op.dtype("dtype").value_or(DType::kFloat32), {op.integer("n"), op.integer("m")});
}

void lower_constant(Lowering& op) {
    give(op, op.kernel(), op.dtype("dtype").value_or(DType::kFloat32), op.ints("size"));
}

void lower_full(Lowering& op) {
    const Scalar& value = op.scalar("fill_value");
    give(op,
         "Fill",
         op.dtype("dtype").value_or(natural(value)),
         op.ints("size"),
         {{"value", value.to_double()}});
}

void lower_full_like(Lowering& op) {
    give(op,
         "Fill",
         op.dtype("dtype").value_or(op.declared("self")),
         op.raw("self").shape(),
         {{"value", op.number("fill_value")}});
}

void lower_new_full(Lowering& op) {
    give(op,
         "Fill",
         op.dtype("dtype").value_or(op.declared("self")),
         op.ints("size"),
         {{"value", op.number("fill_value")}});
}

void lower_new_ones(Lowering& op) {
    give(op, "OnesLike", op.dtype("dtype").value_or(op.declared("self")), op.ints("size"));
}

void lower_scalar_tensor(Lowering& op) {
    give(op, "Fill", op.dtype("dtype").value_or(DType::kFloat32), {}, {{"value", op.number("s")}});
}

void lower_fill(Lowering& op) {
    give(op, "Fill", op.declared("self"), op.raw("self").shape(), {{"value", op.number("value")}});
}

void lower_fill_tensor(Lowering& op) {
    const Tensor& value = op.raw("value");
    if (value.numel() != 1) op.reject("value must have one element");
    give(op, "Fill", op.declared("self"), op.raw("self").shape(), {{"value", value.at(0)}});
}

void lower_zero(Lowering& op) {
    give(op, "ZerosLike", op.declared("self"), op.raw("self").shape());
}

/// Storage has no values; zeros here, so that runs repeat.
void allocate(Lowering& op, DType dtype, const Shape& shape) {
    for (const int64_t size : shape)
        if (size < 0) op.reject("a size is negative");
    op.result(Tensor::zeros(op.numerics().held(dtype), shape), dtype);
}

void lower_empty(Lowering& op) {
    allocate(op, op.dtype("dtype").value_or(DType::kFloat32), op.ints("size"));
}

void lower_empty_like(Lowering& op) {
    allocate(op, op.dtype("dtype").value_or(op.declared("self")), op.raw("self").shape());
}

void lower_new_empty(Lowering& op) {
    allocate(op, op.dtype("dtype").value_or(op.declared("self")), op.ints("size"));
}

/// Elements that are kept stay in place, new ones are 0.
void lower_resize(Lowering& op) {
    const Tensor& self = op.raw("self");
    const int64_t wanted = numel_of(op.ints("size"));
    Tensor flat = self.reshaped({-1});
    flat =
        op.computed("constant_pad_nd", {{"self", flat}, {"pad", IntList{0, wanted - self.numel()}}})
            .at(0);
    op.result(flat.reshaped(op.ints("size")), self.dtype());
}

void lower_same(Lowering& op) {
    op.result(op.raw("self"), op.declared("self"));
}

}  // namespace

std::span<const OpRow> creations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Range"},
         .source = "table",
         .lower = lower_arange},
        {.schema = "arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Range"},
         .source = "table",
         .lower = lower_arange_start},
        {.schema = "arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? "
                   "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
                   "-> Tensor",
         .launches = {"Range"},
         .source = "table",
         .lower = lower_arange_step},
        {.schema = "linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, "
                   "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"LinSpace"},
         .source = "table",
         .lower = lower_linspace},
        {.schema = "eye(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Eye"},
         .source = "table",
         .lower = lower_eye},
        {.schema = "eye.m(int n, int m, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Eye"},
         .source = "table",
         .lower = lower_eye_m},
        {.schema = "zeros(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"ZerosLike"},
         .source = "indirect",
         .lower = lower_constant},
        {.schema = "ones(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"OnesLike"},
         .source = "indirect",
         .lower = lower_constant},
        {.schema = "full(int[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Fill"},
         .lower = lower_full},
        {.schema = "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
                   "memory_format=None) -> Tensor",
         .launches = {"Fill"},
         .lower = lower_full_like},
        {.schema =
             "new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Fill"},
         .lower = lower_new_full},
        {.schema = "new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"OnesLike"},
         .lower = lower_new_ones},
        {.schema = "scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, "
                   "Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Fill"},
         .lower = lower_scalar_tensor},
        {.schema = "fill.Scalar(Tensor self, Scalar value) -> Tensor",
         .launches = {"Fill"},
         .source = "table",
         .lower = lower_fill},
        {.schema = "fill.Tensor(Tensor self, Tensor value) -> Tensor",
         .launches = {"Fill"},
         .source = "table",
         .lower = lower_fill_tensor},
        {.schema = "zero(Tensor self) -> Tensor", .launches = {"ZerosLike"}, .lower = lower_zero},
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
         .lower = lower_empty_like},
        {.schema = "new_empty(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .note = "none; zeros",
         .lower = lower_new_empty},
        {.schema =
             "new_empty_strided(Tensor self, int[] size, int[] stride, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .note = "none; zeros",
         .lower = lower_new_empty},
        {.schema =
             "resize_(Tensor self, int[] size, *, MemoryFormat? memory_format=None) -> Tensor self",
         .launches = {"PadV3"},
         .lower = lower_resize},
        {.schema = "lift_fresh(Tensor self) -> Tensor", .lower = lower_same},
    });
    return kRows;
}

}  // namespace npuscope::backend
