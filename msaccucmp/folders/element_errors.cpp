#include "msaccucmp/folders/element_errors.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "core/dtype/float16.h"

namespace npuscope::msaccucmp {

namespace {

/// The smallest float that NumPy lets stand for the integers of this size.
DType float_beside(DType floating, DType integer) {
    const size_t size = size_of(integer);
    if (floating == DType::kFloat64 || size >= 4) return DType::kFloat64;
    return floating == DType::kFloat16 && size == 1 ? DType::kFloat16 : DType::kFloat32;
}

DType promoted_integers(DType a, DType b) {
    const bool same_sign = info(a).is_signed == info(b).is_signed;
    if (same_sign) return size_of(a) >= size_of(b) ? a : b;
    const DType with_sign = info(a).is_signed ? a : b;
    const DType without = info(a).is_signed ? b : a;
    if (size_of(with_sign) > size_of(without)) return with_sign;
    switch (size_of(without)) {
        case 1:
            return DType::kInt16;
        case 2:
            return DType::kInt32;
        case 4:
            return DType::kInt64;
        default:
            return DType::kFloat64;
    }
}

template <class T>
T rounded(float value) {
    if constexpr (std::is_same_v<T, Float16>) {
        return to_float16(value);
    } else {
        return to_bfloat16(value);
    }
}

template <class T>
T absolute_difference(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using Unsigned = std::make_unsigned_t<T>;
        const auto difference =
            static_cast<Unsigned>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
        if (std::is_signed_v<T> && static_cast<T>(difference) < 0)
            return static_cast<T>(static_cast<Unsigned>(Unsigned{0} - difference));
        return static_cast<T>(difference);
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::fabs(a - b);
    } else {
        return rounded<T>(std::fabs(to_float(a) - to_float(b)));
    }
}

template <class T>
double quotient(T error, T golden) {
    if constexpr (std::is_integral_v<T>) {
        double size = to_double(golden);
        // The absolute value of the lowest integer is itself.
        if (size < 0 && size != to_double(std::numeric_limits<T>::lowest())) size = -size;
        return to_double(error) / size;
    } else if constexpr (std::is_floating_point_v<T>) {
        return error / std::fabs(golden);
    } else {
        return to_double(rounded<T>(to_float(error) / std::fabs(to_float(golden))));
    }
}

}  // namespace

DType promoted(DType a, DType b) {
    if (a == b) return a;
    if (a == DType::kBool) return b;
    if (b == DType::kBool) return a;
    if (is_float(a) && is_float(b)) {
        if (a == DType::kBFloat16 || b == DType::kBFloat16)
            return size_of(a) == 8 || size_of(b) == 8 ? DType::kFloat64 : DType::kFloat32;
        return size_of(a) >= size_of(b) ? a : b;
    }
    if (is_float(a)) return float_beside(a, b);
    if (is_float(b)) return float_beside(b, a);
    return promoted_integers(a, b);
}

ElementErrors element_errors(const Tensor& my, const Tensor& golden) {
    const DType dtype = promoted(my.dtype(), golden.dtype());
    const Tensor x = my.cast(dtype);
    const Tensor y = golden.cast(dtype);
    ElementErrors errors;
    errors.absolute.reserve(static_cast<size_t>(x.numel()));
    errors.relative.reserve(static_cast<size_t>(x.numel()));
    visit_dtype(dtype, [&]<class T>() {
        if constexpr (!std::is_same_v<T, bool>) {
            const auto a = x.as<T>();
            const auto b = y.as<T>();
            for (size_t i = 0; i < a.size(); ++i) {
                const T error = absolute_difference(a[i], b[i]);
                errors.absolute.push_back(to_double(error));
                errors.relative.push_back(quotient(error, b[i]));
            }
        }
    });
    return errors;
}

}  // namespace npuscope::msaccucmp
