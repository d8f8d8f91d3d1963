#include "core/cann_dump/op.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/base/parse_json.h"
#include "core/cann_dump/data_type.h"
#include "core/cann_dump/dump_error.h"
#include "core/cann_dump/reader.h"
#include "core/layout/format.h"
#include "core/npz/npy.h"

namespace npuscope::cann_dump {

namespace {

using nlohmann::json;

/// Complex elements: the real parts, every second number.
Tensor real_parts(const std::vector<std::byte>& pairs, DType part, const Shape& shape) {
    Tensor result(part, shape);
    const size_t size = size_of(part);
    std::byte* out = result.mutable_data();
    for (size_t i = 0; i < static_cast<size_t>(result.numel()); ++i)
        std::copy_n(pairs.data() + 2 * i * size, size, out + i * size);
    return result;
}

RealArray decoded(const DataTypeInfo& type, const std::vector<std::byte>& stored, int64_t numel) {
    const auto count = static_cast<size_t>(numel);
    const std::string name(type.array_name);
    const auto dtype = dtype_from_name(name);
    if (!dtype) {
        const DType part = name == "complex64" ? DType::kFloat32 : DType::kFloat64;
        return {real_parts(stored, part, {numel}), name};
    }
    Tensor values(*dtype, {numel});
    decode_as_msaccucmp(type, stored.data(), count, values.mutable_data());
    if (*dtype == DType::kBool) {
        std::byte* bytes = values.mutable_data();
        std::transform(
            bytes, bytes + count, bytes, [](std::byte b) { return std::byte{b != std::byte{0}}; });
    }
    return {std::move(values), name};
}

/// The elements that the shape asks for, as far as the payload has them.
RealArray elements_of(const DumpReader& reader,
                      const DumpTensor& tensor,
                      const Shape& shape,
                      bool whole_payload) {
    const auto* type = find_data_type(tensor.data_type);
    if (type == nullptr || type->decoding == Decoding::kNone)
        throw DumpError(
            "The dump '" + reader.path().string() + "' has the data type " +
                (type == nullptr ? std::to_string(tensor.data_type) : std::string(type->name)) +
                ", whose elements cannot be read.",
            DumpProblem::kDataType);
    if (std::find(shape.begin(), shape.end(), 0) != shape.end())
        return {Tensor(DType::kFloat64, shape), "float64"};
    // Bits are stored eight to a byte; the original tool takes one byte for each element.
    const bool is_bits = type->decoding == Decoding::kBits;
    const uint64_t stored_size = is_bits ? 1 : static_cast<uint64_t>(type->bits) / 8;
    uint64_t count = tensor.size / stored_size;
    if (!whole_payload) count = std::min(count, static_cast<uint64_t>(numel_of(shape)));
    std::vector<std::byte> stored(static_cast<size_t>(count * stored_size));
    reader.read(tensor.position, stored);
    return decoded(*type, stored, static_cast<int64_t>(count) * (is_bits ? 8 : 1));
}

DumpedTensor tensor_of(const DumpReader& reader, const DumpTensor& source) {
    DumpedTensor tensor;
    tensor.data_type = source.data_type;
    tensor.format = source.format;
    tensor.shape = source.shape.value_or(Shape{});
    tensor.original_shape = source.original_shape.value_or(Shape{});
    tensor.groups = source.sub_format;
    tensor.address = source.address;
    const bool is_undefined = source.data_type == static_cast<int64_t>(DataType::kUndefined);
    if (is_undefined && source.size > 0) tensor.shape = {static_cast<int64_t>(source.size)};
    const bool whole = reader.file().is_nano && !source.shape;
    tensor.data = elements_of(reader, source, tensor.shape, whole);
    return tensor;
}

std::vector<std::vector<int64_t>> cuts_of(const json& attributes) {
    std::vector<std::vector<int64_t>> cuts;
    const auto list = attributes.find("outputCutList");
    if (list == attributes.end() || !list->is_array()) return cuts;
    for (const json& output : *list)
        cuts.push_back(output.get<std::vector<int64_t>>());
    return cuts;
}

std::vector<std::vector<Shape>> output_shapes_of(const json& attributes) {
    std::vector<std::vector<Shape>> parts;
    const auto slices = attributes.find("output_tensor_slice");
    if (slices == attributes.end() || !slices->is_array()) return parts;
    for (const json& part : *slices) {
        std::vector<Shape> shapes;
        for (const json& output : part) {
            Shape shape;
            for (const json& dim : output)
                shape.push_back(dim.at("higher").get<int64_t>() - dim.at("lower").get<int64_t>());
            shapes.push_back(std::move(shape));
        }
        parts.push_back(std::move(shapes));
    }
    return parts;
}

/// The JSON that an FFTS+ op's dump carries, nothing when it is of another kind.
std::optional<FftsAttributes> ffts_of(const std::string& text, const std::string& path) {
    const auto fail = [&](const std::string& reason) {
        throw DumpError("The attributes in the dump '" + path + "' cannot be read: " + reason);
    };
    const auto attributes = parse_json<json>(text);
    if (attributes.is_discarded()) fail(json_problem(text).reason);
    FftsAttributes ffts;
    try {
        if (!attributes.is_object() || !attributes.contains("threadMode")) return std::nullopt;
        const json& mode = attributes["threadMode"];
        ffts.is_automatic = mode.is_boolean() ? mode.get<bool>() : mode.get<int64_t>() != 0;
        ffts.parts = attributes.value("slice_instance_num", int64_t{0});
        ffts.cuts = cuts_of(attributes);
        ffts.output_shapes = output_shapes_of(attributes);
    } catch (const json::exception&) {
        fail("a value is of another kind than it should be");
    }
    return ffts;
}

DumpedOp read_binary(const NamedFile& file) {
    const DumpReader reader(file.path);
    const DumpFile& dump = reader.file();
    DumpedOp op;
    op.name = dump.op_name;
    op.path = file.path.string();
    op.type = op_type_of(file.path.filename().string()).value_or("NaN");
    if (!dump.attributes.empty()) {
        op.has_attributes = true;
        op.ffts = ffts_of(dump.attributes.front().value, op.path);
    }
    for (const DumpTensor& each : dump.inputs)
        op.inputs.push_back(tensor_of(reader, each));
    for (const DumpTensor& each : dump.outputs)
        op.outputs.push_back(tensor_of(reader, each));
    for (DumpedTensor& tensor : op.inputs)
        tensor.is_ffts = op.ffts.has_value();
    for (DumpedTensor& tensor : op.outputs)
        tensor.is_ffts = op.ffts.has_value();
    return op;
}

DumpedOp read_numpy(const NamedFile& file) {
    RealArray array = read_npy_real(file.path);
    DumpedTensor output;
    output.format = static_cast<int64_t>(layout::Format::kRESERVED);
    output.shape = array.shape();
    if (const auto dtype = dtype_from_name(array.dtype))
        output.data_type = static_cast<int64_t>(data_type_of(*dtype));
    // Without elements an array is float64, whatever the file says.
    output.data = array.values.numel() == 0
                      ? RealArray{Tensor(DType::kFloat64, array.shape()), "float64"}
                      : array.reshaped({array.values.numel()});
    DumpedOp op;
    op.path = file.path.string();
    op.type = op_type_of(file.path.filename().string()).value_or("NaN");
    op.outputs.push_back(std::move(output));
    return op;
}

}  // namespace

DumpedOp read_op(const NamedFile& file) {
    return file.path.extension() == ".npy" ? read_numpy(file) : read_binary(file);
}

}  // namespace npuscope::cann_dump
