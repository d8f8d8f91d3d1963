// Bounds that are tensors or stand alone, and choices by a mask.
#include <algorithm>
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

template <const char* kKernel, const char* kBound>
void lower_bound(Lowering& op) {
    const Operands pair = common_operands(op, "self", kBound);
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

template <const char* kKernel, const char* kBound>
void lower_bound_scalar(Lowering& op) {
    const Operands pair = scalar_operands(op, "self", kBound);
    op.result(op.launch(kKernel, {pair.self, pair.other}), pair.dtype);
}

void lower_clamp_tensor(Lowering& op) {
    std::vector<Tensor> given = {op.raw("self")};
    for (const char* name : {"min", "max"})
        if (op.has(name)) given.push_back(op.raw(name));
    if (given.size() == 1) op.reject("min or max is needed");
    const DType dtype = result_type(given);
    Tensor y = op.cast(op.tensor("self"), dtype);
    if (op.has("min")) y = op.launch("Maximum", {y, op.cast(op.tensor("min"), dtype)});
    if (op.has("max")) y = op.launch("Minimum", {y, op.cast(op.tensor("max"), dtype)});
    op.result(std::move(y), dtype);
}

/// `value` as one element of self's dtype.
void masked_fill(Lowering& op, const Tensor& value) {
    const DType dtype = op.declared("self");
    if (op.declared("mask") != DType::kBool) op.reject("mask must be bool");
    if (value.numel() != 1) op.reject("value must have one element");
    if (is_float(value.dtype()) && !is_float(dtype))
        op.reject("a float value does not fit into " + std::string(name_of(dtype)));
    op.result(op.launch("MaskedFill",
                        {op.tensor("self"),
                         op.raw("mask"),
                         value.reshaped({}).cast(op.numerics().held(dtype))}),
              dtype);
}

Tensor tensor_of(const Scalar& scalar) {
    if (const auto* whole = std::get_if<int64_t>(&scalar.number))
        return Tensor::scalar<int64_t>(*whole);
    if (const auto* truth = std::get_if<bool>(&scalar.number)) return Tensor::scalar<bool>(*truth);
    return Tensor::scalar<double>(scalar.to_double());
}

void lower_masked_fill(Lowering& op) {
    masked_fill(op, op.raw("value"));
}

void lower_masked_fill_scalar(Lowering& op) {
    masked_fill(op, tensor_of(op.scalar("value")));
}

/// Numbers are tensors without dimensions; two of them give PyTorch's default dtypes.
void lower_where_numbers(Lowering& op) {
    std::array<Value, 2> sides = {op.given("self"), op.given("other")};
    const bool real = std::ranges::any_of(sides, [](const Value& side) {
        const auto* scalar = std::get_if<Scalar>(&side);
        return scalar != nullptr && std::holds_alternative<double>(scalar->number);
    });
    DType wide = DType::kFloat32;
    for (const Value& side : sides)
        if (const auto* tensor = std::get_if<Tensor>(&side)) wide = float_type(tensor->dtype());
    for (Value& side : sides)
        if (const auto* scalar = std::get_if<Scalar>(&side)) {
            const Tensor number = tensor_of(*scalar);
            side = real && is_float(number.dtype()) ? number.cast(wide) : number;
        }
    op.become("where_self",
              {{"condition", op.raw("condition")}, {"self", sides[0]}, {"other", sides[1]}});
}

constexpr char kMaximum[] = "Maximum";
constexpr char kMinimum[] = "Minimum";
constexpr char kMin[] = "min";
constexpr char kMax[] = "max";

constexpr auto kRows = std::to_array<OpRow>({
    {"clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
     "Maximum, Minimum",
     "ours",
     lower_clamp_tensor},
    {"clamp_min(Tensor self, Scalar min) -> Tensor",
     "Maximum",
     "ours",
     lower_bound_scalar<kMaximum, kMin>},
    {"clamp_max(Tensor self, Scalar max) -> Tensor",
     "Minimum",
     "ours",
     lower_bound_scalar<kMinimum, kMax>},
    {"clamp_min.Tensor(Tensor self, Tensor min) -> Tensor",
     "Maximum",
     "ours",
     lower_bound<kMaximum, kMin>},
    {"clamp_max.Tensor(Tensor self, Tensor max) -> Tensor",
     "Minimum",
     "ours",
     lower_bound<kMinimum, kMax>},
    {"masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
     "MaskedFill",
     "table",
     lower_masked_fill_scalar},
    {"masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
     "MaskedFill",
     "table",
     lower_masked_fill},
    {"where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
     "SelectV2",
     "ours",
     lower_where_numbers},
    {"where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
     "SelectV2",
     "ours",
     lower_where_numbers},
    {"where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
     "SelectV2",
     "ours",
     lower_where_numbers},
});

}  // namespace

extern const std::span<const OpRow> k_bounds_ops;
const std::span<const OpRow> k_bounds_ops = kRows;

}  // namespace npuscope::backend
