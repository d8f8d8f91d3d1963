#include "npu_backend/ops/promotion.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace npuscope::backend {

namespace {

/// bool 0, integer 1, float 2.
int kind_of(DType dtype) {
    if (dtype == DType::kBool) return 0;
    return is_float(dtype) ? 2 : 1;
}

DType signed_of_size(size_t size) {
    if (size <= 2) return DType::kInt16;
    return size <= 4 ? DType::kInt32 : DType::kInt64;
}

/// The tensor argument `tensor` and the Scalar argument `name`.
Operands with_number(Lowering& op, std::string_view tensor, std::string_view name, bool to_float) {
    const Scalar& scalar = op.scalar(name);
    DType dtype = op.declared(tensor);
    const bool real = std::holds_alternative<double>(scalar.number);
    if (to_float || real) dtype = float_type(dtype);
    if (dtype == DType::kBool && std::holds_alternative<int64_t>(scalar.number))
        dtype = DType::kInt64;
    const auto* whole = std::get_if<int64_t>(&scalar.number);
    const Tensor number = whole != nullptr ? Tensor::scalar<int64_t>(*whole)
                                           : Tensor::scalar<double>(scalar.to_double());
    return {op.cast(op.tensor(tensor), dtype), number.cast(op.numerics().held(dtype)), dtype};
}

}  // namespace

DType promoted(DType a, DType b) {
    if (a == b) return a;
    const int kind_a = kind_of(a);
    const int kind_b = kind_of(b);
    if (kind_a != kind_b) return kind_a > kind_b ? a : b;
    if (kind_a == 2) {
        if (size_of(a) == size_of(b)) return DType::kFloat32;  // float16 and bfloat16
        return size_of(a) > size_of(b) ? a : b;
    }
    if (info(a).is_signed == info(b).is_signed) return size_of(a) > size_of(b) ? a : b;
    const DType with_sign = info(a).is_signed ? a : b;
    const DType without = info(a).is_signed ? b : a;
    if (size_of(with_sign) > size_of(without)) return with_sign;
    return signed_of_size(size_of(without) * 2);
}

DType result_type(std::span<const Tensor> tensors) {
    std::optional<DType> with_dims;
    std::optional<DType> without;
    for (const Tensor& tensor : tensors) {
        std::optional<DType>& slot = tensor.ndim() > 0 ? with_dims : without;
        slot = slot ? promoted(*slot, tensor.dtype()) : tensor.dtype();
    }
    if (!with_dims) return without.value_or(DType::kFloat32);
    if (!without || kind_of(*with_dims) >= kind_of(*without)) return *with_dims;
    return *without;
}

Operands common_operands(Lowering& op,
                         std::string_view left,
                         std::string_view right,
                         bool to_float) {
    if (std::holds_alternative<Scalar>(op.given(right)))
        return with_number(op, left, right, to_float);
    if (std::holds_alternative<Scalar>(op.given(left))) {
        Operands pair = with_number(op, right, left, to_float);
        std::swap(pair.self, pair.other);
        return pair;
    }
    const std::array<Tensor, 2> given = {op.raw(left), op.raw(right)};
    DType dtype = result_type(given);
    if (to_float) dtype = float_type(dtype);
    return {op.cast(op.tensor(left), dtype), op.cast(op.tensor(right), dtype), dtype};
}

Operands operands_of_one_shape(Lowering& op, std::string_view left, std::string_view right) {
    const Shape& a = op.raw(left).shape();
    const Shape& b = op.raw(right).shape();
    if (a != b)
        op.reject(std::string(left) + " " + to_string(a) + " and " + std::string(right) + " " +
                  to_string(b) + " must have one shape");
    return common_operands(op, left, right);
}

}  // namespace npuscope::backend
