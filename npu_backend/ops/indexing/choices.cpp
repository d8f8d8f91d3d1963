// One of two elements by a mask.
#include <algorithm>
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

void lower_where(Lowering& op) {
    const Operands pair = common_operands(op, "self", "other");
    op.result(op.launch("SelectV2", {op.raw("condition"), pair.self, pair.other}), pair.dtype);
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

}  // namespace

std::span<const OpRow> choices_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "where.self(Tensor condition, Tensor self, Tensor other) -> Tensor",
         .launches = {"SelectV2"},
         .source = "table",
         .lower = lower_where},
        {.schema = "where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor",
         .launches = {"SelectV2"},
         .lower = lower_where_numbers},
        {.schema = "where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor",
         .launches = {"SelectV2"},
         .lower = lower_where_numbers},
        {.schema = "where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor",
         .launches = {"SelectV2"},
         .lower = lower_where_numbers},
        {.schema = "masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor",
         .launches = {"MaskedFill"},
         .source = "table",
         .lower = lower_masked_fill_scalar},
        {.schema = "masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor",
         .launches = {"MaskedFill"},
         .source = "table",
         .lower = lower_masked_fill},
    });
    return kRows;
}

}  // namespace npuscope::backend
