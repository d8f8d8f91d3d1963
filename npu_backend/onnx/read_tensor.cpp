#include "npu_backend/onnx/read_tensor.h"

#include <array>
#include <cstring>
#include <onnx/onnx_pb.h>
#include <type_traits>

#include "core/base/error.h"
#include "core/dtype/bools.h"
#include "npu_backend/onnx/external_data.h"

namespace npuscope::onnx_model {

namespace {

/// The element of a typed field as the bits of T: int32_data holds float16 as bit patterns.
template <class T, class Stored>
T from_field(Stored stored) {
    if constexpr (requires(T value) { value.bits; }) {
        return T{static_cast<uint16_t>(stored)};
    } else {
        return static_cast<T>(stored);
    }
}

[[noreturn]] void wrong_size(const std::string& what,
                             const Shape& shape,
                             DType dtype,
                             const std::string& found) {
    throw Error(ErrorKind::kFormat,
                what + " of shape " + to_string(shape) + " and dtype " +
                    std::string(name_of(dtype)) + " holds " + found + "; the file is damaged");
}

/// The field that holds elements of T where raw_data is not used.
template <class T>
const auto& typed_field(const onnx::TensorProto& proto) {
    if constexpr (std::is_same_v<T, float>) {
        return proto.float_data();
    } else if constexpr (std::is_same_v<T, double>) {
        return proto.double_data();
    } else if constexpr (std::is_same_v<T, int64_t>) {
        return proto.int64_data();
    } else if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
        return proto.uint64_data();
    } else {
        return proto.int32_data();
    }
}

Tensor from_typed_field(const onnx::TensorProto& proto,
                        DType dtype,
                        Shape shape,
                        const std::string& what) {
    return visit_dtype(dtype, [&]<class T>() {
        const auto& field = typed_field<T>(proto);
        if (field.size() != numel_of(shape))
            wrong_size(what, shape, dtype, std::to_string(field.size()) + " elements");
        Tensor tensor(dtype, std::move(shape));
        T* target = tensor.mutable_as<T>().data();
        for (const auto stored : field)
            *target++ = from_field<T>(stored);
        return tensor;
    });
}

Tensor from_raw(const std::string& raw, DType dtype, Shape shape, const std::string& what) {
    const auto numel = static_cast<uint64_t>(numel_of(shape));
    if (raw.size() % size_of(dtype) != 0 || raw.size() / size_of(dtype) != numel)
        wrong_size(what, shape, dtype, std::to_string(raw.size()) + " bytes");
    Tensor tensor(dtype, std::move(shape));
    if (raw.empty()) return tensor;
    std::memcpy(tensor.mutable_data(), raw.data(), raw.size());
    if (dtype == DType::kBool) make_bools({tensor.mutable_data(), tensor.nbytes()});
    return tensor;
}

}  // namespace

std::string element_type_name(int onnx_code) {
    if (const auto dtype = dtype_from_onnx(onnx_code)) return std::string(name_of(*dtype));
    if (onnx::TensorProto_DataType_IsValid(onnx_code))
        return onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(onnx_code));
    // Later than the library's headers. Source: onnx.proto3, TensorProto.DataType.
    constexpr std::array<const char*, 8> kLater = {"FLOAT8E4M3FN",
                                                   "FLOAT8E4M3FNUZ",
                                                   "FLOAT8E5M2",
                                                   "FLOAT8E5M2FNUZ",
                                                   "UINT4",
                                                   "INT4",
                                                   "FLOAT4E2M1",
                                                   "FLOAT8E8M0"};
    constexpr int kFirstLater = 17;
    if (onnx_code >= kFirstLater && onnx_code < kFirstLater + static_cast<int>(kLater.size()))
        return kLater[static_cast<size_t>(onnx_code - kFirstLater)];
    return "number " + std::to_string(onnx_code);
}

DType element_type(int onnx_code, const std::string& what) {
    const auto dtype = dtype_from_onnx(onnx_code);
    if (!dtype)
        throw Error(ErrorKind::kUnsupported,
                    what + " has the element type " + element_type_name(onnx_code) +
                        ", which is not supported; export the model with float or integer tensors");
    return *dtype;
}

Tensor read_tensor(const onnx::TensorProto& proto, const std::string& what) {
    ExternalData none{std::filesystem::path()};
    return read_tensor(proto, what, none);
}

Tensor read_tensor(const onnx::TensorProto& proto, const std::string& what, ExternalData& files) {
    const bool external = proto.data_location() == onnx::TensorProto_DataLocation_EXTERNAL ||
                          proto.external_data_size() != 0;
    if (proto.has_segment())
        throw Error(ErrorKind::kUnsupported, what + " is stored in segments, not supported");
    const DType dtype = element_type(proto.data_type(), what);
    Shape shape(proto.dims().begin(), proto.dims().end());
    try {
        if (numel_of(shape) == 0) return {dtype, std::move(shape)};
    } catch (const Error& error) {
        throw error.with_context(what);
    }
    if (external) return files.read(proto, dtype, std::move(shape), what);
    if (proto.has_raw_data()) return from_raw(proto.raw_data(), dtype, std::move(shape), what);
    return from_typed_field(proto, dtype, std::move(shape), what);
}

}  // namespace npuscope::onnx_model
