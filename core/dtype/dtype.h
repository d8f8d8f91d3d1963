// The element types of tensors: one table, and the only dispatch over it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dtype/float16.h"

namespace npuscope {

/// NumPy's names are the names (float16, int8, …); bfloat16 has none there.
enum class DType : uint8_t {
#define DTYPE(enumerator, name, type, ...) k##enumerator,
#include "core/dtype/dtypes.def"
#undef DTYPE
};

/// One row of the table.
struct DTypeInfo {
    DType dtype;
    std::string_view name;  ///< as NumPy names it
    size_t size;            ///< bytes per element
    bool is_float;
    bool is_signed;
    int significand_bits;          ///< with the implicit bit; 0 for integers and bool
    double max_finite;             ///< largest finite value; for 64-bit integers rounded to double
    double min_normal;             ///< smallest positive normal value; 0 for integers
    double min_subnormal;          ///< smallest positive value; 0 for integers
    int dump_code;                 ///< DataType attribute of a dump; 0 where the original has none
                                   ///< (docs/dump_format.md)
    std::string_view numpy_descr;  ///< .npy header descr; bfloat16 has "" (written as float32)
    int onnx_code;                 ///< TensorProto.DataType
    int acl_code;                  ///< AscendCL aclDataType
};

[[nodiscard]] const DTypeInfo& info(DType dtype);
[[nodiscard]] std::span<const DTypeInfo> all_dtypes();
[[nodiscard]] inline size_t size_of(DType dtype) {
    return info(dtype).size;
}
[[nodiscard]] inline std::string_view name_of(DType dtype) {
    return info(dtype).name;
}
[[nodiscard]] inline bool is_float(DType dtype) {
    return info(dtype).is_float;
}
[[nodiscard]] std::optional<DType> dtype_from_name(std::string_view name);
[[nodiscard]] std::optional<DType> dtype_from_onnx(int code);
[[nodiscard]] std::optional<DType> dtype_from_dump_code(int code);

/// C++ element type -> DType (Float16, BFloat16, float, double, intN_t, uintN_t, bool).
template <class T>
struct DTypeOf;
#define DTYPE(enumerator, name, type, ...)                    \
    template <>                                               \
    struct DTypeOf<type> {                                    \
        static constexpr DType kValue = DType::k##enumerator; \
    };
#include "core/dtype/dtypes.def"
#undef DTYPE
template <class T>
inline constexpr DType kDTypeOf = DTypeOf<T>::kValue;

/// Calls f.template operator()<T>() with T the element type of `dtype`. The only switch over
/// dtypes.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
    switch (dtype) {
#define DTYPE(enumerator, name, type, ...) \
    case DType::k##enumerator:             \
        return f.template operator()<type>();
#include "core/dtype/dtypes.def"
#undef DTYPE
    }
    __builtin_unreachable();
}

/// Any element as double (64-bit integers round to nearest).
template <class T>
double to_double(T value) {
    if constexpr (requires { to_float(value); }) {
        return static_cast<double>(to_float(value));
    } else {
        return static_cast<double>(value);
    }
}

/// Converts `count` elements as NumPy's astype does: one rounding to nearest even for floats,
/// truncation toward zero for float to integer (NaN and values out of range become the type's
/// lowest value; 0 for unsigned), nonzero to true for bool. `source` and `target` must not overlap.
void convert_elements(const void* source, DType from, void* target, DType to, size_t count);

}  // namespace npuscope
