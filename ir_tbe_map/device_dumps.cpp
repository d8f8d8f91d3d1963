#include "ir_tbe_map/device_dumps.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <system_error>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "core/cann_dump/data_type.h"
#include "core/cann_dump/name.h"
#include "core/cann_dump/tensor.h"
#include "core/layout/conversion.h"
#include "core/layout/format.h"
#include "core/layout/stored_layout.h"

namespace npuscope::ir_tbe_map {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostRemarks = 10;

/// FNV-1a over 32-bit words. Source: Fowler, Noll, Vo.
uint64_t hash_of(const Tensor& floats) {
    uint64_t hash = 14695981039346656037u;
    for (const float value : floats.as<float>()) {
        const float plain = value + 0.0f;  // one zero
        uint32_t word = 0;
        std::memcpy(&word, &plain, sizeof(word));
        hash = (hash ^ word) * 1099511628211u;
    }
    return hash;
}

/// How the elements of a private format lie, when the file says enough.
std::optional<layout::StoredLayout> layout_of(const cann_dump::DumpTensor& tensor,
                                              layout::Format format) {
    if (!tensor.shape || !tensor.original_shape || tensor.shape->empty() ||
        tensor.shape->back() < 1)
        return std::nullopt;
    const layout::Blocks blocks{
        .c0 = tensor.shape->back(), .n0 = 16, .groups = std::max<int64_t>(1, tensor.sub_format)};
    try {
        layout::StoredLayout stored = layout::stored_layout(format, *tensor.original_shape, blocks);
        if (stored.shape == *tensor.shape) return stored;
    } catch (const Error&) {
        // Another format, or a shape that does not belong to it: its order stays unknown.
    }
    return std::nullopt;
}

/// Errors: Error(kUnsupported) for elements that are no array of ours.
Tensor plain_tensor(const cann_dump::DumpReader& reader, const cann_dump::DumpTensor& tensor) {
    const auto* info = cann_dump::find_data_type(tensor.data_type);
    const auto dtype = info == nullptr ? std::nullopt : cann_dump::dtype_of(info->type);
    const auto format = layout::format_from_code(tensor.format);
    if (!dtype || !format || !tensor.shape)
        throw Error(ErrorKind::kUnsupported, "elements of this type or format cannot be compared");
    Tensor elements = cann_dump::read_tensor(reader, tensor);
    if (layout::keeps_order(*format)) return elements;
    const auto stored = layout_of(tensor, *format);
    if (!stored)
        throw Error(ErrorKind::kUnsupported, "its format's order of elements is not known");
    const layout::StoredLayout plain =
        layout::stored_layout(layout::Format::kND, *tensor.original_shape);
    const layout::StoredLayout base =
        layout::stored_layout(stored->logical.size() == 4   ? layout::Format::kNCHW
                              : stored->logical.size() == 5 ? layout::Format::kNCDHW
                                                            : layout::Format::kND,
                              *tensor.original_shape);
    const auto bytes = layout::convert(*stored, base, size_of(*dtype), elements.data());
    return Tensor::copy_of(*dtype, plain.shape, bytes.data());
}

DeviceTensor described(const cann_dump::DumpReader& reader,
                       const cann_dump::DumpTensor& tensor,
                       bool input,
                       size_t index) {
    DeviceTensor row;
    row.input = input;
    row.index = index;
    row.file = reader.path();
    const auto* info = cann_dump::find_data_type(tensor.data_type);
    row.dtype =
        info == nullptr ? fmt::format("type {}", tensor.data_type) : std::string(info->name);
    const auto format = layout::format_from_code(tensor.format);
    row.format =
        format ? std::string(layout::name_of(*format)) : fmt::format("format {}", tensor.format);
    if (tensor.shape) row.stored_shape = *tensor.shape;
    row.shape = row.stored_shape;
    try {
        const Tensor plain = plain_tensor(reader, tensor);
        row.shape = plain.shape();
        row.key = content_key(plain);
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::kUnsupported) throw;
    }
    return row;
}

DeviceKernel read_kernel(const fs::path& file, const cann_dump::FileNameFields& fields) {
    const cann_dump::DumpReader reader(file);
    DeviceKernel kernel{.type = fields.op_type,
                        .op_name = fields.op_name,
                        .task_id = static_cast<int64_t>(fields.task_id),
                        .stream_id = static_cast<int64_t>(fields.stream_id.value_or(0)),
                        .timestamp = fields.timestamp,
                        .file = file,
                        .inputs = {},
                        .outputs = {}};
    const cann_dump::DumpFile& dump = reader.file();
    for (size_t i = 0; i < dump.inputs.size(); ++i)
        kernel.inputs.push_back(described(reader, dump.inputs[i], true, i));
    for (size_t i = 0; i < dump.outputs.size(); ++i)
        kernel.outputs.push_back(described(reader, dump.outputs[i], false, i));
    return kernel;
}

std::vector<fs::path> files_below(const fs::path& folder) {
    std::error_code failure;
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure))
        if (at->is_regular_file(failure)) files.push_back(at->path());
    if (failure)
        throw Error(ErrorKind::kIo,
                    "cannot read the folder " + in_quotes(folder) + ": " + failure.message());
    std::ranges::sort(files);
    return files;
}

}  // namespace

ContentKey content_key(const Tensor& tensor) {
    ContentKey key{.numel = tensor.numel()};
    const Tensor wide = tensor.cast(DType::kFloat32);
    key.wide = hash_of(wide);
    key.half = hash_of(wide.cast(DType::kFloat16).cast(DType::kFloat32));
    const auto values = wide.as<float>();
    key.weak = values.size() < 2 || std::ranges::all_of(values, [&](float value) {
                   return value == values[0] || (value != value && values[0] != values[0]);
               });
    return key;
}

DeviceDumps read_device_dumps(const fs::path& folder) {
    DeviceDumps dumps;
    size_t skipped = 0;
    std::map<fs::path, std::map<std::string, std::string>> names;
    for (const fs::path& file : files_below(folder)) {
        std::string name = file.filename().string();
        if (name == cann_dump::kMappingName) continue;
        const fs::path parent = file.parent_path();
        if (!names.contains(parent)) names[parent] = cann_dump::read_mapping(parent);
        if (const auto found = names[parent].find(name); found != names[parent].end())
            name = found->second;
        const auto fields = cann_dump::parse_file_name(name);
        if (fields && fields->op_type == "Opdebug") {
            dumps.debug_files.push_back(file.lexically_relative(folder).string());
            continue;
        }
        std::string reason = "its name is not that of a kernel dump";
        if (fields) {
            try {
                dumps.kernels.push_back(read_kernel(file, *fields));
                continue;
            } catch (const Error& error) {
                reason = error.what();
            }
        }
        if (skipped++ < kMostRemarks)
            dumps.remarks.push_back(fmt::format(
                "{} is left out: {}", file.lexically_relative(folder).string(), reason));
    }
    if (skipped > kMostRemarks)
        dumps.remarks.push_back(fmt::format("{} more files are left out", skipped - kMostRemarks));
    if (dumps.kernels.empty())
        throw Error(ErrorKind::kUsage,
                    in_quotes(folder) +
                        " holds no kernel dump ({op_type}.{op_name}.{task}.{stream}.{time})");
    std::ranges::stable_sort(dumps.kernels, {}, &DeviceKernel::timestamp);
    return dumps;
}

Tensor load(const DeviceTensor& tensor) {
    const cann_dump::DumpReader reader(tensor.file);
    const auto& side = tensor.input ? reader.file().inputs : reader.file().outputs;
    return plain_tensor(reader, side.at(tensor.index));
}

}  // namespace npuscope::ir_tbe_map
