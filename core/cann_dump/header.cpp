#include "core/cann_dump/header.h"

#include <limits>

#include "core/base/error.h"
#include "core/cann_dump/wire.h"

namespace npuscope::cann_dump {

namespace {

/// An enum or int32 is a varint of its 64-bit two's complement.
int64_t to_signed(uint64_t value) {
    return static_cast<int32_t>(static_cast<uint32_t>(value));
}

template <class T>
void add(std::vector<T>& list, T entry) {
    if (list.size() == kMostEntries)
        throw Error(
            ErrorKind::kFormat,
            "it lists more than " + std::to_string(kMostEntries) + " tensors or attributes");
    list.push_back(std::move(entry));
}

void add_dim(std::vector<int64_t>& dims, uint64_t dim) {
    if (dims.size() == kMostDims)
        throw Error(ErrorKind::kFormat,
                    "a tensor has more than " + std::to_string(kMostDims) + " dimensions");
    if (dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        throw Error(ErrorKind::kFormat, "a dimension is " + std::to_string(dim));
    dims.push_back(static_cast<int64_t>(dim));
}

std::vector<int64_t> parse_shape(std::span<const std::byte> message) {
    std::vector<int64_t> dims;
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        if (field.number != 1) continue;
        if (!field.is_bytes) {
            add_dim(dims, field.value);
            continue;
        }
        for (WireReader packed(field.bytes); !packed.at_end();)
            add_dim(dims, packed.varint());
    }
    return dims;
}

DimRange parse_range(std::span<const std::byte> message) {
    DimRange range;
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        if (field.number == 1) range.start = field.value;
        if (field.number == 2) range.end = field.value;
    }
    return range;
}

void parse_original(std::span<const std::byte> message, DumpTensor& tensor) {
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        if (field.number == 1) tensor.original_name = field.text();
        if (field.number == 2) tensor.original_output_index = field.value;
        if (field.number == 3) tensor.original_data_type = to_signed(field.value);
        if (field.number == 4) tensor.original_format = to_signed(field.value);
    }
}

/// Numbers of the fields that inputs and outputs both have.
struct TensorFields {
    uint32_t size, original_shape, sub_format, address, offset, arg_index;
};
constexpr uint32_t kDataType = 1;
constexpr uint32_t kFormat = 2;
constexpr uint32_t kShape = 3;
constexpr TensorFields kOutput = {
    .size = 6, .original_shape = 7, .sub_format = 8, .address = 9, .offset = 11, .arg_index = 12};
constexpr TensorFields kInput = {
    .size = 5, .original_shape = 6, .sub_format = 7, .address = 8, .offset = 9, .arg_index = 10};
constexpr uint32_t kOutputOriginal = 4;
constexpr uint32_t kOutputDimRange = 10;
constexpr uint32_t kInputType = 11;

void parse_shared(const WireField& field, const TensorFields& numbers, DumpTensor& tensor) {
    if (field.number == kDataType) tensor.data_type = to_signed(field.value);
    if (field.number == kFormat) tensor.format = to_signed(field.value);
    if (field.number == kShape) tensor.shape = parse_shape(field.bytes);
    if (field.number == numbers.size) tensor.size = field.value;
    if (field.number == numbers.original_shape) tensor.original_shape = parse_shape(field.bytes);
    if (field.number == numbers.sub_format) tensor.sub_format = to_signed(field.value);
    if (field.number == numbers.address) tensor.address = field.value;
    if (field.number == numbers.offset) tensor.offset = field.value;
    if (field.number == numbers.arg_index) tensor.arg_index = field.value;
}

DumpTensor parse_output(std::span<const std::byte> message) {
    DumpTensor tensor;
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        parse_shared(field, kOutput, tensor);
        if (field.number == kOutputOriginal) parse_original(field.bytes, tensor);
        if (field.number == kOutputDimRange) add(tensor.dim_ranges, parse_range(field.bytes));
    }
    return tensor;
}

DumpTensor parse_input(std::span<const std::byte> message) {
    DumpTensor tensor;
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        parse_shared(field, kInput, tensor);
        if (field.number == kInputType) tensor.input_type = field.value;
    }
    return tensor;
}

DumpBlob parse_blob(std::span<const std::byte> message) {
    DumpBlob blob;
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        if (field.number == 1) blob.type = to_signed(field.value);
        if (field.number == 3) blob.size = field.value;
    }
    return blob;
}

Attribute parse_attribute(std::span<const std::byte> message) {
    Attribute attribute;
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        if (field.number == 1) attribute.name = field.text();
        if (field.number == 2) attribute.value = field.text();
    }
    return attribute;
}

uint64_t from_signed(int64_t value) {
    return static_cast<uint64_t>(value);
}

void write_shape(WireWriter& writer,
                 uint32_t field,
                 const std::optional<std::vector<int64_t>>& shape) {
    if (!shape) return;
    WireWriter dims;
    for (const int64_t dim : *shape)
        dims.varint(static_cast<uint64_t>(dim));
    WireWriter message;
    message.bytes(1, dims.text());
    writer.message(field, message);
}

/// What inputs and outputs both have and stands before, or behind, what only one has: fields are
/// written in the order of their numbers.
void write_head(WireWriter& message, const DumpTensor& tensor) {
    message.number(kDataType, from_signed(tensor.data_type));
    message.number(kFormat, from_signed(tensor.format));
    write_shape(message, kShape, tensor.shape);
}

void write_middle(WireWriter& message, const TensorFields& numbers, const DumpTensor& tensor) {
    message.number(numbers.size, tensor.bytes.size());
    write_shape(message, numbers.original_shape, tensor.original_shape);
    message.number(numbers.sub_format, from_signed(tensor.sub_format));
    message.number(numbers.address, tensor.address);
}

void write_place(WireWriter& message, const TensorFields& numbers, const DumpTensor& tensor) {
    message.number(numbers.offset, tensor.offset);
    message.number(numbers.arg_index, tensor.arg_index);
}

WireWriter output_message(const DumpTensor& tensor) {
    WireWriter message;
    write_head(message, tensor);
    WireWriter original;
    original.bytes(1, tensor.original_name);
    original.number(2, tensor.original_output_index);
    original.number(3, from_signed(tensor.original_data_type));
    original.number(4, from_signed(tensor.original_format));
    message.bytes(kOutputOriginal, original.text());
    write_middle(message, kOutput, tensor);
    for (const DimRange& range : tensor.dim_ranges) {
        WireWriter part;
        part.number(1, range.start);
        part.number(2, range.end);
        message.message(kOutputDimRange, part);
    }
    write_place(message, kOutput, tensor);
    return message;
}

WireWriter input_message(const DumpTensor& tensor) {
    WireWriter message;
    write_head(message, tensor);
    write_middle(message, kInput, tensor);
    write_place(message, kInput, tensor);
    message.number(kInputType, tensor.input_type);
    return message;
}

WireWriter blob_message(const DumpBlob& blob) {
    WireWriter message;
    message.number(1, from_signed(blob.type));
    message.number(3, blob.bytes.size());
    return message;
}

}  // namespace

DumpFile parse_header(std::span<const std::byte> message) {
    DumpFile dump;
    for (WireReader reader(message); !reader.at_end();) {
        const WireField field = reader.field();
        switch (field.number) {
            case 1:
                dump.version = field.text();
                break;
            case 2:
                dump.dump_time = field.value;
                break;
            case 3:
                add(dump.outputs, parse_output(field.bytes));
                break;
            case 4:
                add(dump.inputs, parse_input(field.bytes));
                break;
            case 5:
                add(dump.buffers, parse_blob(field.bytes));
                break;
            case 6:
                dump.op_name = field.text();
                break;
            case 7:
                add(dump.attributes, parse_attribute(field.bytes));
                break;
            case 8:
                add(dump.spaces, parse_blob(field.bytes));
                break;
            case 9:
                dump.dfx_message = field.text();
                break;
            default:
                break;
        }
    }
    return dump;
}

std::string format_header(const DumpFile& dump) {
    WireWriter message;
    message.bytes(1, dump.version);
    message.number(2, dump.dump_time);
    for (const DumpTensor& tensor : dump.outputs)
        message.message(3, output_message(tensor));
    for (const DumpTensor& tensor : dump.inputs)
        message.message(4, input_message(tensor));
    for (const DumpBlob& blob : dump.buffers)
        message.message(5, blob_message(blob));
    message.bytes(6, dump.op_name);
    for (const Attribute& attribute : dump.attributes) {
        WireWriter part;
        part.bytes(1, attribute.name);
        part.bytes(2, attribute.value);
        message.message(7, part);
    }
    for (const DumpBlob& blob : dump.spaces)
        message.message(8, blob_message(blob));
    message.bytes(9, dump.dfx_message);
    return message.text();
}

}  // namespace npuscope::cann_dump
