#include "core/cann_dump/data_type.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "core/base/error.h"

namespace npuscope::cann_dump {

namespace {

struct ArrayType {
    std::string_view name;
    std::string_view descr;
    size_t size;
};

constexpr auto kArrayTypes = std::to_array<ArrayType>({
    {"", "", 0},
#define DTYPE(                                                                                   \
    enumerator, name, type, is_float, is_signed, bits, max, normal, subnormal, code, descr, ...) \
    {name, descr, sizeof(type)},
#include "core/dtype/dtypes.def"
#undef DTYPE
    {"complex64", "<c8", 8},
    {"complex128", "<c16", 16},
});

constexpr const ArrayType& array_type(std::string_view name) {
    for (const ArrayType& row : kArrayTypes)
        if (row.name == name) return row;
    return kArrayTypes[0];
}

constexpr auto kTable = std::to_array<DataTypeInfo>({
#define DATA_TYPE(enumerator, code, name, acl, bits, decoding, array) \
    {DataType::k##enumerator,                                         \
     name,                                                            \
     acl,                                                             \
     bits,                                                            \
     Decoding::k##decoding,                                           \
     array,                                                           \
     array_type(array).descr,                                         \
     array_type(array).size},
#include "core/cann_dump/data_types.def"
#undef DATA_TYPE
});

double float8_e5m2(unsigned code) {
    const double sign = (code & 0x80u) != 0 ? -1.0 : 1.0;
    const auto exponent = static_cast<int>(code >> 2 & 31u);
    const double fraction = code & 3u;
    if (exponent == 31)
        return fraction == 0 ? std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(fraction, -16);
    return sign * std::ldexp(4 + fraction, exponent - 17);
}

double float8_e4m3fn(unsigned code) {
    const double sign = (code & 0x80u) != 0 ? -1.0 : 1.0;
    const auto exponent = static_cast<int>(code >> 3 & 15u);
    const double fraction = code & 7u;
    if (exponent == 0) return sign * std::ldexp(fraction, -9);
    return sign * std::ldexp(8 + fraction, exponent - 10);
}

/// Sign, a prefix code that says how wide the exponent is, exponent as sign and magnitude with a
/// hidden leading 1, fraction.
double hifloat8(unsigned code) {
    if (code == 0x80u) return std::numeric_limits<double>::quiet_NaN();
    const double sign = (code & 0x80u) != 0 ? -1.0 : 1.0;
    const unsigned rest = code & 0x7fu;
    if (rest == 0x6fu) return std::numeric_limits<double>::infinity();
    if (rest == 0) return 0.0;
    if (rest < 8) return sign * std::ldexp(1.0, static_cast<int>(rest) - 23);
    int width = 0;  // of the exponent
    int fraction_bits = 3;
    if (rest >= 0x60u) {
        width = 4;
        fraction_bits = 1;
    } else if (rest >= 0x40u) {
        width = 3;
        fraction_bits = 2;
    } else if (rest >= 0x20u) {
        width = 2;
    } else if (rest >= 0x10u) {
        width = 1;
    }
    int exponent = 0;
    if (width > 0) {
        const unsigned field = rest >> fraction_bits & ((1u << width) - 1);
        const unsigned half = 1u << (width - 1);
        const auto magnitude = static_cast<int>(half | (field & (half - 1)));
        exponent = (field & half) != 0 ? -magnitude : magnitude;
    }
    const double fraction = std::ldexp(rest & ((1u << fraction_bits) - 1), -fraction_bits);
    return sign * std::ldexp(1.0 + fraction, exponent);
}

double hifloat8_of_msaccucmp(unsigned code) {
    const double sign = (code & 0x80u) != 0 ? -1.0 : 1.0;
    const unsigned rest = code & 0x7fu;
    if (rest < 0x08u || rest >= 0x20u) return hifloat8(code);
    if (rest >= 0x10u) return sign * 0.5 * (1.0 + (rest & 15u) / 16.0);
    return sign * (1.0 + rest / 32.0);
}

template <class F>
void decode_bytes(const std::byte* stored, size_t count, std::byte* array, F value) {
    std::array<double, 256> table{};
    for (unsigned code = 0; code < table.size(); ++code)
        table[code] = value(code);
    for (size_t i = 0; i < count; ++i)
        std::memcpy(
            array + i * sizeof(double), &table[std::to_integer<size_t>(stored[i])], sizeof(double));
}

}  // namespace

std::span<const DataTypeInfo> all_data_types() {
    return kTable;
}

const DataTypeInfo* find_data_type(int64_t code) {
    for (const DataTypeInfo& row : kTable)
        if (static_cast<int64_t>(row.type) == code) return &row;
    return nullptr;
}

const DataTypeInfo& info(DataType type) {
    return kTable[static_cast<size_t>(type)];
}

std::optional<DataType> data_type_from_acl(int64_t acl_code) {
    for (const DataTypeInfo& row : kTable)
        if (row.acl_code == acl_code) return row.type;
    return std::nullopt;
}

DataType data_type_of(DType dtype) {
    for (const DataTypeInfo& row : kTable)
        if (row.name == name_of(dtype)) return row.type;
    __builtin_unreachable();
}

std::optional<DType> dtype_of(DataType type) {
    const DataTypeInfo& row = info(type);
    if (row.decoding == Decoding::kBFloat16) return DType::kBFloat16;
    if (row.decoding != Decoding::kPlain) return std::nullopt;
    return dtype_from_name(row.array_name);
}

uint64_t stored_bytes(const DataTypeInfo& type, uint64_t count) {
    const auto bits = static_cast<uint64_t>(type.bits);
    if (bits % 8 == 0) return count * (bits / 8);
    return count / 8 * bits + (count % 8 * bits + 7) / 8;
}

bool fits(const DataTypeInfo& type, uint64_t count, uint64_t nbytes) {
    // An element has at least a bit and at most 16 bytes: the product cannot overflow.
    return count / 8 <= nbytes && stored_bytes(type, count) <= nbytes;
}

void decode_elements(const DataTypeInfo& type,
                     const std::byte* stored,
                     size_t count,
                     std::byte* array) {
    switch (type.decoding) {
        case Decoding::kNone:
            throw Error(ErrorKind::kInternal,
                        "elements of type " + std::string(type.name) + " cannot be decoded");
        case Decoding::kPlain:
            if (count > 0) std::memcpy(array, stored, count * type.array_item_size);
            return;
        case Decoding::kBFloat16:
            convert_elements(stored, DType::kBFloat16, array, DType::kFloat32, count);
            return;
        case Decoding::kBits:
            for (size_t i = 0; i < count; ++i)
                array[i] = stored[i / 8] >> (7 - i % 8) & std::byte{1};
            return;
        case Decoding::kHiFloat8:
            return decode_bytes(stored, count, array, hifloat8);
        case Decoding::kFloat8E5M2:
            return decode_bytes(stored, count, array, float8_e5m2);
        case Decoding::kFloat8E4M3FN:
            return decode_bytes(stored, count, array, float8_e4m3fn);
    }
}

void decode_as_msaccucmp(const DataTypeInfo& type,
                         const std::byte* stored,
                         size_t count,
                         std::byte* array) {
    if (type.decoding == Decoding::kHiFloat8)
        return decode_bytes(stored, count, array, hifloat8_of_msaccucmp);
    decode_elements(type, stored, count, array);
}

}  // namespace npuscope::cann_dump
