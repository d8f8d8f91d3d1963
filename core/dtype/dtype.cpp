#include "core/dtype/dtype.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/dtype/convert_half.h"

namespace npuscope {

namespace {

constexpr auto kTable = std::to_array<DTypeInfo>({
#define DTYPE(enumerator,  \
              name,        \
              type,        \
              is_float,    \
              is_signed,   \
              bits,        \
              max,         \
              normal,      \
              subnormal,   \
              dump,        \
              descr,       \
              onnx,        \
              acl)         \
    {DType::k##enumerator, \
     name,                 \
     sizeof(type),         \
     is_float,             \
     is_signed,            \
     bits,                 \
     max,                  \
     normal,               \
     subnormal,            \
     dump,                 \
     descr,                \
     onnx,                 \
     acl},
#include "core/dtype/dtypes.def"
#undef DTYPE
});

template <class Key>
std::optional<DType> find_by(Key DTypeInfo::*field, std::type_identity_t<Key> key) {
    for (const DTypeInfo& row : kTable)
        if (row.*field == key) return row.dtype;
    return std::nullopt;
}

template <class To, class From>
To convert_one(From value) {
    if constexpr (std::is_same_v<To, From>) {
        return value;
    } else if constexpr (requires { to_float(value); }) {
        return convert_one<To>(to_float(value));
    } else if constexpr (std::is_same_v<To, Float16>) {
        if constexpr (std::is_same_v<From, float>) return to_float16(value);
        return to_float16(static_cast<double>(value));
    } else if constexpr (std::is_same_v<To, BFloat16>) {
        if constexpr (std::is_same_v<From, float>) return to_bfloat16(value);
        return to_bfloat16(static_cast<double>(value));
    } else if constexpr (std::is_same_v<To, bool>) {
        return value != From{};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // The bounds are powers of two and so exact in double.
        const double wide = std::trunc(static_cast<double>(value));
        constexpr double kLowest = static_cast<double>(std::numeric_limits<To>::min());
        const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
        if (!(wide >= kLowest && wide < above)) return std::numeric_limits<To>::min();
        return static_cast<To>(wide);
    } else {
        return static_cast<To>(value);
    }
}

template <class From, class To>
constexpr bool kHasVectors = (std::is_same_v<From, float> &&
                              (std::is_same_v<To, Float16> || std::is_same_v<To, BFloat16>)) ||
                             (std::is_same_v<To, float> &&
                              (std::is_same_v<From, Float16> || std::is_same_v<From, BFloat16>));

void convert_many(const float* from, Float16* to, size_t count) {
    convert_to_float16(from, to, count);
}
void convert_many(const float* from, BFloat16* to, size_t count) {
    convert_to_bfloat16(from, to, count);
}
template <class Half>
void convert_many(const Half* from, float* to, size_t count) {
    convert_to_float(from, to, count);
}

}  // namespace

const DTypeInfo& info(DType dtype) {
    return kTable[static_cast<size_t>(dtype)];
}

std::span<const DTypeInfo> all_dtypes() {
    return kTable;
}

std::optional<DType> dtype_from_name(std::string_view name) {
    return find_by(&DTypeInfo::name, name);
}

std::optional<DType> dtype_from_onnx(int code) {
    return find_by(&DTypeInfo::onnx_code, code);
}

std::optional<DType> dtype_from_dump_code(int code) {
    if (code == 0) return std::nullopt;
    return find_by(&DTypeInfo::dump_code, code);
}

void convert_elements(const void* source, DType from, void* target, DType to, size_t count) {
    if (count == 0) return;
    if (from == to) {
        std::memcpy(target, source, count * size_of(from));
        return;
    }
    visit_dtype(from, [&]<class From>() {
        visit_dtype(to, [&]<class To>() {
            const auto* in = static_cast<const From*>(source);
            auto* out = static_cast<To*>(target);
            if constexpr (kHasVectors<From, To>) {
                convert_many(in, out, count);
                return;
            }
            for (size_t i = 0; i < count; ++i)
                out[i] = convert_one<To>(in[i]);
        });
    });
}

}  // namespace npuscope
