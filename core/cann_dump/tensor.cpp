#include "core/cann_dump/tensor.h"

#include "core/cann_dump/data_type.h"
#include "core/layout/stored_layout.h"

namespace npuscope::cann_dump {

Tensor read_tensor(const DumpReader& reader, const DumpTensor& tensor) {
    const DataTypeInfo* type = find_data_type(tensor.data_type);
    if (type == nullptr || type->decoding == Decoding::kNone)
        throw Error(ErrorKind::kUnsupported, "elements of this data type cannot be read");
    const auto stored_dtype = dtype_of(type->type);
    const auto dtype = stored_dtype ? stored_dtype : dtype_from_name(type->array_name);
    if (!dtype) throw Error(ErrorKind::kUnsupported, "complex elements are no tensor");
    const Shape shape = tensor.shape.value_or(Shape{});
    const auto count = static_cast<uint64_t>(layout::checked_numel(shape));
    if (!fits(*type, count, tensor.size))
        throw Error(ErrorKind::kUnsupported,
                    "the shape needs more than " + std::to_string(tensor.size) + " bytes");
    Tensor result(*dtype, shape);
    if (stored_dtype) {
        reader.read(tensor.position, {result.mutable_data(), result.nbytes()});
    } else {
        Buffer<std::byte> stored(static_cast<size_t>(stored_bytes(*type, count)));
        reader.read(tensor.position, stored.span());
        decode_elements(*type, stored.data(), static_cast<size_t>(count), result.mutable_data());
    }
    return result;
}

}  // namespace npuscope::cann_dump
