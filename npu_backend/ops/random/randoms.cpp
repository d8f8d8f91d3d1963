// Random ops. The numbers follow from ExecutorOptions::seed and the order of the calls, and are not
// those of PyTorch's generators.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

NamedValues seeds_with(Lowering& op, NamedValues values = {}) {
    NamedValues all = op.next_seeds();
    all.insert(all.end(), values.begin(), values.end());
    return all;
}

Tensor like(const Lowering& op, DType dtype, const Shape& shape) {
    for (const int64_t size : shape)
        if (size < 0) op.reject("a size is negative");
    return {op.numerics().held(dtype), shape};
}

void lower_dropout(Lowering& op) {
    const Tensor input = op.tensor("input");
    const double p = op.number("p");
    if (!(p >= 0 && p <= 1)) op.reject("p must be between 0 and 1");
    if (op.has("train") && !op.flag("train")) {
        op.result(input, op.declared("input"));
        op.result(op.launch("OnesLike", {Tensor(DType::kBool, input.shape())}), DType::kBool);
        return;
    }
    const Tensor mask = op.launch("DropOutGenMask", {input}, seeds_with(op, {{"prob", 1 - p}}));
    op.result(op.launch("DropOutDoMask", {input, mask}, {{"scale", p == 1 ? 0 : 1 / (1 - p)}}),
              op.declared("input"));
    op.result(mask, DType::kBool);
}

void lower_dropout_gradient(Lowering& op) {
    if (op.declared("mask") != DType::kBool) op.reject("mask must be bool");
    op.result(op.launch("DropOutDoMask",
                        {op.tensor("grad_output"), op.raw("mask")},
                        {{"scale", op.number("scale")}}),
              op.declared("grad_output"));
}

void bernoulli(Lowering& op, const Tensor& probabilities) {
    const Tensor& self = op.raw("self");
    op.result(
        op.launch(
            "Bernoulli", {like(op, self.dtype(), self.shape()), probabilities}, seeds_with(op)),
        self.dtype());
}

void lower_bernoulli(Lowering& op) {
    bernoulli(op, op.raw("self"));
}

void lower_bernoulli_p(Lowering& op) {
    bernoulli(op, Tensor::scalar<double>(op.number("p")));
}

void lower_bernoulli_tensor(Lowering& op) {
    bernoulli(op, op.raw("p"));
}

void draw(Lowering& op, const char* kernel, DType dtype, const Shape& shape, NamedValues values) {
    op.result(op.launch(kernel, {like(op, dtype, shape)}, seeds_with(op, std::move(values))),
              dtype);
}

const NamedValues& unit_range() {
    static const NamedValues values = {{"from", 0.0}, {"to", 1.0}};
    return values;
}

const NamedValues& unit_normal() {
    static const NamedValues values = {{"mean", 0.0}, {"stdev", 1.0}};
    return values;
}

void lower_rand(Lowering& op) {
    draw(op, "Uniform", op.dtype("dtype").value_or(DType::kFloat32), op.ints("size"), unit_range());
}

void lower_randn(Lowering& op) {
    draw(op, "Normal", op.dtype("dtype").value_or(DType::kFloat32), op.ints("size"), unit_normal());
}

void lower_rand_like(Lowering& op) {
    draw(op,
         "Uniform",
         op.dtype("dtype").value_or(op.declared("self")),
         op.raw("self").shape(),
         unit_range());
}

void lower_randn_like(Lowering& op) {
    draw(op,
         "Normal",
         op.dtype("dtype").value_or(op.declared("self")),
         op.raw("self").shape(),
         unit_normal());
}

void lower_uniform(Lowering& op) {
    draw(op,
         "Uniform",
         op.declared("self"),
         op.raw("self").shape(),
         {{"from", op.number("from")}, {"to", op.number("to")}});
}

void lower_normal(Lowering& op) {
    draw(op,
         "Normal",
         op.declared("self"),
         op.raw("self").shape(),
         {{"mean", op.number("mean")}, {"stdev", op.number("std")}});
}

void whole(Lowering& op, int64_t low) {
    if (op.integer("high") <= low) op.reject("high must be above low");
    draw(op,
         "RandomUniformInt",
         op.dtype("dtype").value_or(DType::kInt64),
         op.ints("size"),
         {{"from", low}, {"to", op.integer("high")}});
}

void lower_randint(Lowering& op) {
    whole(op, 0);
}

void lower_randint_low(Lowering& op) {
    whole(op, op.integer("low"));
}

void lower_randperm(Lowering& op) {
    draw(op, "StatelessRandperm", op.dtype("dtype").value_or(DType::kInt64), {op.integer("n")}, {});
}

}  // namespace

std::span<const OpRow> randoms_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "native_dropout(Tensor input, float p, bool? train=None) -> (Tensor, Tensor)",
         .launches = {"DropOutGenMask", "DropOutDoMask"},
         .source = "indirect",
         .lower = lower_dropout,
         .draws = Draws::kDropout},
        {.schema =
             "native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor",
         .launches = {"DropOutDoMask"},
         .lower = lower_dropout_gradient},
        {.schema = "bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
         .launches = {"Bernoulli"},
         .source = "table",
         .lower = lower_bernoulli,
         .draws = Draws::kTrials},
        {.schema = "bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
         .launches = {"Bernoulli"},
         .source = "table",
         .lower = lower_bernoulli_p,
         .draws = Draws::kTrials},
        {.schema = "bernoulli_.float(Tensor self, float p=0.5, *, Generator? generator=None) -> "
                   "Tensor self",
         .launches = {"Bernoulli"},
         .source = "table",
         .lower = lower_bernoulli_p,
         .draws = Draws::kTrials},
        {.schema = "bernoulli_.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> "
                   "Tensor self",
         .launches = {"Bernoulli"},
         .source = "table",
         .lower = lower_bernoulli_tensor,
         .draws = Draws::kTrials},
        {.schema = "rand(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Uniform"},
         .lower = lower_rand},
        {.schema = "randn(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"Normal"},
         .lower = lower_randn},
        {.schema =
             "rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         .launches = {"Uniform"},
         .lower = lower_rand_like},
        {.schema =
             "randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? "
             "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
         .launches = {"Normal"},
         .lower = lower_randn_like},
        {.schema = "uniform_(Tensor self, float from=0.0, float to=1.0, *, Generator? "
                   "generator=None) -> Tensor self",
         .launches = {"Uniform"},
         .source = "table",
         .lower = lower_uniform},
        {.schema = "normal_(Tensor self, float mean=0.0, float std=1.0, *, Generator? "
                   "generator=None) -> Tensor self",
         .launches = {"Normal"},
         .source = "table",
         .lower = lower_normal},
        {.schema = "randint(int high, int[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                   "Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"RandomUniformInt"},
         .lower = lower_randint},
        {.schema = "randint.low(int low, int high, int[] size, *, ScalarType? dtype=None, Layout? "
                   "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"RandomUniformInt"},
         .lower = lower_randint_low},
        {.schema = "randperm(int n, *, ScalarType? dtype=None, Layout? layout=None, Device? "
                   "device=None, bool? pin_memory=None) -> Tensor",
         .launches = {"StatelessRandperm"},
         .lower = lower_randperm},
    });
    return kRows;
}

}  // namespace npuscope::backend
