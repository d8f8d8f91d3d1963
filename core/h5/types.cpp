#include "core/h5/types.h"

#include <bit>
#include <cstring>
#include <optional>

#include "core/h5/float_formats.h"

namespace npuscope::h5 {

namespace {

Handle copy_of(hid_t type) {
    return checked(H5Tcopy(type), H5Tclose, "cannot make an HDF5 type");
}

/// Bools are int8 here.
hid_t predefined(DType dtype) {
    const hid_t with_sign[] = {H5T_STD_I8LE, H5T_STD_I16LE, H5T_STD_I32LE, H5T_STD_I64LE};
    const hid_t without[] = {H5T_STD_U8LE, H5T_STD_U16LE, H5T_STD_U32LE, H5T_STD_U64LE};
    const size_t size = size_of(dtype);
    if (is_float(dtype)) return size == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    const bool has_sign = info(dtype).is_signed || dtype == DType::kBool;
    return (has_sign ? with_sign : without)[std::countr_zero(size)];
}

bool is_h5py_bool(hid_t type) {
    if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2)
        return false;
    for (unsigned i = 0; i < 2; ++i) {
        char* name = H5Tget_member_name(type, i);
        signed char value = -1;
        H5Tget_member_value(type, i, &value);
        const bool fits =
            name != nullptr && (std::strcmp(name, value == 0 ? "FALSE" : "TRUE") == 0);
        H5free_memory(name);
        if (!fits) return false;
    }
    return true;
}

std::optional<DType> integer_dtype(hid_t type) {
    const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    for (const DTypeInfo& row : all_dtypes())
        if (!row.is_float && row.dtype != DType::kBool && row.is_signed == is_signed &&
            row.size == H5Tget_size(type))
            return row.dtype;
    return std::nullopt;
}

std::optional<DType> float_dtype(hid_t type) {
    size_t sign = 0;
    size_t exponent = 0;
    size_t exponent_bits = 0;
    size_t mantissa = 0;
    size_t mantissa_bits = 0;
    H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits);
    const size_t bits = H5Tget_precision(type);
    if (H5Tget_size(type) * 8 != bits) return std::nullopt;
    for (const FloatFormat& format : kFloatFormats)
        if (bits == 8 * size_of(format.dtype) && exponent_bits == format.exponent_bits)
            return format.dtype;
    return std::nullopt;
}

}  // namespace

Handle float16_type() {
    Handle type = copy_of(H5T_IEEE_F32LE);
    const std::string what = "cannot make the HDF5 type of float16";
    check(H5Tset_fields(type.get(), 15, 10, 5, 0, 10), what);
    check(H5Tset_size(type.get(), 2), what);
    check(H5Tset_ebias(type.get(), 15), what);
    return type;
}

Handle file_type(DType dtype) {
    if (dtype == DType::kFloat16) return float16_type();
    if (dtype == DType::kBFloat16)
        throw Error(ErrorKind::kInternal, "bfloat16 has no HDF5 type of its own");
    return copy_of(predefined(dtype));
}

Handle reading_type(DType dtype, hid_t type) {
    if (dtype == DType::kBool) {
        return checked(H5Tget_native_type(type, H5T_DIR_ASCEND), H5Tclose, "no native type");
    }
    if (dtype != DType::kBFloat16) return memory_type(dtype);
    // HDF5's native type of it would be float32.
    Handle memory = copy_of(type);
    check(H5Tset_order(memory.get(), H5T_ORDER_LE), "no native type");
    return memory;
}

std::optional<DType> dtype_of(hid_t type) {
    switch (H5Tget_class(type)) {
        case H5T_INTEGER:
            return integer_dtype(type);
        case H5T_FLOAT:
            return float_dtype(type);
        case H5T_ENUM:
            return is_h5py_bool(type) ? std::optional(DType::kBool) : std::nullopt;
        default:
            return std::nullopt;
    }
}

std::string numpy_name(hid_t type) {
    const H5T_class_t kind = H5Tget_class(type);
    if (kind == H5T_STRING)
        return H5Tis_variable_str(type) > 0 ? "object" : "|S" + std::to_string(H5Tget_size(type));
    if (const auto dtype = dtype_of(type)) {
        const bool big = size_of(*dtype) > 1 && H5Tget_order(type) == H5T_ORDER_BE;
        if (!big) return std::string(name_of(*dtype));
        std::string descr(info(*dtype).numpy_descr);
        if (!descr.empty()) descr[0] = '>';
        return descr;
    }
    if (kind == H5T_COMPOUND && H5Tget_nmembers(type) == 2)
        return H5Tget_size(type) == 8 ? "complex64" : "complex128";
    return "|V" + std::to_string(H5Tget_size(type));
}

}  // namespace npuscope::h5
