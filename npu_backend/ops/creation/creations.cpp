// Tensors of one number, and of numbers in sequence.
#include <algorithm>
#include <array>
#include <cmath>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// The row's kernel on a tensor of this dtype and shape. Numbers that a float holds round once.
void fill(Lowering& op, DType dtype, const Shape& shape, NamedValues values = {}) {
    for (const int64_t size : shape)
        if (size < 0) op.reject("a size is negative");
    op.result(op.launch(op.kernel(), {Tensor(op.numerics().held(dtype), shape)}, std::move(values)),
              dtype);
}

/// The number that the row's argument names, if it names one.
NamedValues number_of(const Lowering& op) {
    if (op.argument().empty()) return {};
    return {{"value", op.number(op.argument())}};
}

DType asked(const Lowering& op, DType otherwise) {
    return op.dtype("dtype").value_or(otherwise);
}

/// int64 for integers, bool for truths, else PyTorch's default float32.
DType natural(const Scalar& scalar) {
    if (std::holds_alternative<bool>(scalar.number)) return DType::kBool;
    return std::holds_alternative<double>(scalar.number) ? DType::kFloat32 : DType::kInt64;
}

void lower_constant(Lowering& op) {
    fill(op, asked(op, DType::kFloat32), op.ints("size"));
}

void lower_full(Lowering& op) {
    fill(op, asked(op, natural(op.scalar("fill_value"))), op.ints("size"), number_of(op));
}

void lower_like(Lowering& op) {
    fill(op, asked(op, op.declared("self")), op.raw("self").shape(), number_of(op));
}

void lower_new(Lowering& op) {
    fill(op, asked(op, op.declared("self")), op.ints("size"), number_of(op));
}

void lower_scalar_tensor(Lowering& op) {
    fill(op, asked(op, DType::kFloat32), {}, number_of(op));
}

void lower_fill(Lowering& op) {
    fill(op, op.declared("self"), op.raw("self").shape(), number_of(op));
}

void lower_fill_tensor(Lowering& op) {
    const Tensor& value = op.raw("value");
    if (value.numel() != 1) op.reject("value must have one element");
    fill(op, op.declared("self"), op.raw("self").shape(), {{"value", value.at(0)}});
}

void lower_arange(Lowering& op) {
    const Scalar start = op.declares("start") ? op.scalar("start") : Scalar{int64_t{0}};
    const Scalar end = op.scalar("end");
    const Scalar step = op.declares("step") ? op.scalar("step") : Scalar{int64_t{1}};
    const bool real = std::ranges::any_of(std::array{start, end, step}, [](const Scalar& scalar) {
        return std::holds_alternative<double>(scalar.number);
    });
    const DType dtype = op.dtype("dtype").value_or(real ? DType::kFloat32 : DType::kInt64);
    const double delta = step.to_double();
    const double length = (end.to_double() - start.to_double()) / delta;
    if (delta == 0 || !std::isfinite(length) || length < 0)
        op.reject("step does not lead from start to end");
    const auto count = static_cast<int64_t>(std::ceil(length));
    fill(op, dtype, {count}, {{"start", start.to_double()}, {"delta", delta}});
}

void lower_linspace(Lowering& op) {
    if (op.integer("steps") < 0) op.reject("steps must not be negative");
    fill(op,
         op.dtype("dtype").value_or(DType::kFloat32),
         {op.integer("steps")},
         {{"start", op.number("start")}, {"stop", op.number("end")}});
}

void lower_eye(Lowering& op) {
    fill(op,
         op.dtype("dtype").value_or(DType::kFloat32),
         {op.integer("n"), op.integer(op.declares("m") ? "m" : "n")});
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a row an op
std::span<const OpRow> creations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
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
         .lower = lower_full,
         .argument = "fill_value"},
        {.schema =
             "zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         .launches = {"ZerosLike"},
         .source = "indirect",
         .lower = lower_like},
        {.schema =
             "ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         .launches = {"OnesLike"},
         .source = "indirect",
         .lower = lower_like},
        {.schema = "full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
                   "memory_format=None) -> Tensor",
         .launches = {"Fill"},
         .lower = lower_like,
         .argument = "fill_value"},
        {.schema = "new_zeros(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"ZerosLike"},
         .lower = lower_new},
        {.schema = "new_ones(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"OnesLike"},
         .lower = lower_new},
        {.schema =
             "new_full(Tensor self, int[] size, Scalar fill_value, *, ScalarType? dtype=None, "
             "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Fill"},
         .lower = lower_new,
         .argument = "fill_value"},
        {.schema = "scalar_tensor(Scalar s, *, ScalarType? dtype=None, Layout? layout=None, "
                   "Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Fill"},
         .lower = lower_scalar_tensor,
         .argument = "s"},
        {.schema = "zero(Tensor self) -> Tensor", .launches = {"ZerosLike"}, .lower = lower_fill},
        {.schema = "zero_(Tensor self) -> Tensor self",
         .launches = {"ZerosLike"},
         .source = "spec",
         .lower = lower_fill},
        {.schema = "fill.Scalar(Tensor self, Scalar value) -> Tensor",
         .launches = {"Fill"},
         .source = "table",
         .lower = lower_fill,
         .argument = "value"},
        {.schema = "fill_.Scalar(Tensor self, Scalar value) -> Tensor self",
         .launches = {"Fill"},
         .source = "table",
         .lower = lower_fill,
         .argument = "value"},
        {.schema = "fill.Tensor(Tensor self, Tensor value) -> Tensor",
         .launches = {"Fill"},
         .source = "table",
         .lower = lower_fill_tensor},
        {.schema = "arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Range"},
         .source = "table",
         .lower = lower_arange},
        {.schema = "arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Range"},
         .source = "table",
         .lower = lower_arange},
        {.schema = "arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? "
                   "dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) "
                   "-> Tensor",
         .launches = {"Range"},
         .source = "table",
         .lower = lower_arange},
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
         .lower = lower_eye},
    });
    return kRows;
}

}  // namespace npuscope::backend
