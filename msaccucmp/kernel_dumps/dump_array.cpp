#include "msaccucmp/kernel_dumps/dump_array.h"

#include <vector>

#include "core/layout/stored_layout.h"
#include "msaccucmp/base/exit_codes.h"

namespace npuscope::msaccucmp {

using cann_dump::DataType;
using cann_dump::DataTypeInfo;
using cann_dump::Decoding;

const DataTypeInfo& readable_type(int64_t code) {
    const DataTypeInfo* type = cann_dump::find_data_type(code);
    if (type == nullptr)
        throw CommandError(kInvalidDataType,
                           "data type " + std::to_string(code) + " of a dump is not known");
    if (type->decoding == Decoding::kNone)
        throw CommandError(kInvalidDataType,
                           "data type " + std::to_string(code) + " (" + std::string(type->name) +
                               ") of a dump cannot be read");
    return *type;
}

DumpArray::DumpArray(const InputFile& file,
                     const cann_dump::DumpTensor& tensor,
                     const std::vector<int64_t>* slice)
    : file_(&file), tensor_(&tensor), type_(&readable_type(tensor.data_type)) {
    if (tensor.shape) shape_ = *tensor.shape;
    if (type_->type == DataType::kUndefined && tensor.size > 0 && !file.dump().is_nano)
        shape_ = {static_cast<int64_t>(tensor.size)};
    if (slice != nullptr) shape_ = *slice;
    if (file.dump().is_nano && !tensor.shape) {
        numel_ = static_cast<int64_t>(tensor.size * 8 / static_cast<uint64_t>(type_->bits));
        return;
    }
    try {
        numel_ = layout::checked_numel(shape_);
    } catch (const Error& problem) {
        throw CommandError(kDataShapeMismatch, problem.what());
    }
    if (!cann_dump::fits(*type_, static_cast<uint64_t>(numel_), tensor.size))
        throw CommandError(kDataShapeMismatch,
                           "shape [" + layout::joined(shape_, ",") + "] of " +
                               std::string(type_->name) + " needs more than the " +
                               std::to_string(tensor.size) + " bytes of the tensor");
}

std::vector<int64_t> DumpArray::file_shape() const {
    if (!shape_.empty()) return shape_;
    return {numel_};
}

std::string_view DumpArray::descr() const {
    return numel_ == 0 ? cann_dump::info(DataType::kFloat64).numpy_descr : type_->numpy_descr;
}

std::string_view DumpArray::dtype_name() const {
    return numel_ == 0 ? cann_dump::info(DataType::kFloat64).array_name : type_->array_name;
}

size_t DumpArray::item_size() const {
    return numel_ == 0 ? sizeof(double) : type_->array_item_size;
}

std::string_view DumpArray::bin_dtype_name() const {
    return is_plain() || type_->decoding == Decoding::kBits ? type_->array_name : type_->name;
}

bool DumpArray::is_plain() const {
    return type_->decoding == Decoding::kPlain;
}

void DumpArray::read(int64_t first, int64_t count, std::byte* target) const {
    const auto begin = static_cast<uint64_t>(first);
    const auto number = static_cast<uint64_t>(count);
    const uint64_t position = tensor_->position + cann_dump::stored_bytes(*type_, begin);
    const uint64_t nbytes = cann_dump::stored_bytes(*type_, number);
    if (is_plain()) {
        file_->read(position, {target, static_cast<size_t>(nbytes)});
        return;
    }
    std::vector<std::byte> stored(static_cast<size_t>(nbytes));
    file_->read(position, stored);
    cann_dump::decode_as_msaccucmp(*type_, stored.data(), static_cast<size_t>(number), target);
}

}  // namespace npuscope::msaccucmp
