#include "ir_tbe_map/stored_tensor.h"

#include <string>

#include "core/base/error.h"
#include "core/cann_dump/data_type.h"
#include "core/layout/conversion.h"
#include "core/layout/stored_layout.h"

namespace npuscope::ir_tbe_map {

namespace {

layout::Format format_named(std::string_view name) {
    if (const auto format = layout::format_from_name(name)) return *format;
    throw Error(ErrorKind::kUnsupported, "there is no format '" + std::string(name) + "'");
}

bool is_blocked(layout::Format format) {
    return format == layout::Format::kNC1HWC0 || format == layout::Format::kFRACTAL_Z;
}

/// A tensor of fewer dims than four in a format of images.
/// Source: shapes of storage in the PyTorch adapter for CANN: C, CH and CHW after a batch of one.
Shape expanded(const Shape& shape, layout::Format format) {
    if (!is_blocked(format) || shape.size() >= 4) return shape;
    if (shape.empty()) return {1, 1, 1, 1};
    Shape four = shape;
    four.insert(four.begin(), 1);
    four.resize(4, 1);
    return four;
}

layout::Blocks blocks_of(const StoredTensor& stored) {
    return {.c0 = layout::c0_of(stored.plain.dtype()), .n0 = 16, .groups = stored.groups};
}

layout::Format base_format(const StoredTensor& stored) {
    if (stored.format == layout::Format::kFRACTAL_NZ) return layout::Format::kND;
    return stored.logical.size() == 4   ? layout::Format::kNCHW
           : stored.logical.size() == 5 ? layout::Format::kNCDHW
                                        : layout::Format::kND;
}

}  // namespace

std::span<const std::byte> StoredTensor::stored() const {
    if (!layout::keeps_order(format)) return bytes;
    return {plain.data(), plain.nbytes()};
}

cann_dump::DumpTensor StoredTensor::described() const {
    cann_dump::DumpTensor tensor;
    tensor.data_type = static_cast<int64_t>(cann_dump::data_type_of(plain.dtype()));
    tensor.format = static_cast<int64_t>(format);
    tensor.shape = shape;
    tensor.original_shape = logical;
    tensor.sub_format = groups > 1 ? groups : 0;
    tensor.original_data_type = tensor.data_type;
    tensor.original_format = static_cast<int64_t>(base_format(*this));
    tensor.bytes = stored();
    tensor.size = tensor.bytes.size();
    return tensor;
}

StoredTensor described_in_format(const Tensor& tensor, std::string_view format, int64_t groups) {
    StoredTensor stored;
    stored.plain = tensor;
    stored.format = format_named(format);
    stored.groups = groups;
    stored.logical = expanded(tensor.shape(), stored.format);
    stored.shape = layout::keeps_order(stored.format)
                       ? stored.logical
                       : layout::storage_shape(stored.format, stored.logical, blocks_of(stored));
    return stored;
}

StoredTensor stored_in_format(const Tensor& tensor, std::string_view format, int64_t groups) {
    StoredTensor stored = described_in_format(tensor, format, groups);
    if (layout::keeps_order(stored.format)) return stored;
    const layout::StoredLayout plain = layout::stored_layout(base_format(stored), stored.logical);
    const layout::StoredLayout target =
        layout::stored_layout(stored.format, stored.logical, blocks_of(stored));
    stored.bytes = layout::convert(plain, target, size_of(tensor.dtype()), tensor.data());
    return stored;
}

}  // namespace npuscope::ir_tbe_map
