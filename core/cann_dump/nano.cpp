#include "core/cann_dump/nano.h"

#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/cann_dump/data_type.h"
#include "core/cann_dump/header.h"
#include "core/cann_dump/wire.h"

namespace npuscope::cann_dump {

namespace {

constexpr uint32_t kInputsTag = 4;
constexpr uint32_t kOutputsTag = 5;
constexpr uint32_t kShapeTag = 0;
constexpr uint32_t kOriginalShapeTag = 1;
constexpr uint32_t kNameTag = 2;

/// Little-endian numbers in order.
class Cursor {
  public:
    explicit Cursor(std::span<const std::byte> bytes) : rest_(bytes) {}
    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] std::span<const std::byte> take(uint64_t count) {
        if (count > rest_.size()) throw Error(ErrorKind::kFormat, "its head is cut short");
        const auto taken = rest_.first(static_cast<size_t>(count));
        rest_ = rest_.subspan(static_cast<size_t>(count));
        return taken;
    }
    [[nodiscard]] uint64_t unsigned_number(size_t nbytes) { return little_endian(take(nbytes)); }
    [[nodiscard]] uint32_t u32() { return static_cast<uint32_t>(unsigned_number(4)); }
    [[nodiscard]] uint64_t u64() { return unsigned_number(8); }
    [[nodiscard]] int64_t i32() { return static_cast<int32_t>(u32()); }

  private:
    std::span<const std::byte> rest_;
};

std::vector<int64_t> parse_dims(std::span<const std::byte> value) {
    if (value.size() / 8 > kMostDims)
        throw Error(ErrorKind::kFormat,
                    "a tensor has more than " + std::to_string(kMostDims) + " dimensions");
    std::vector<int64_t> dims;
    for (Cursor cursor(value); !cursor.at_end();) {
        const uint64_t dim = cursor.u64();
        if (dim > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
            throw Error(ErrorKind::kFormat, "a dimension is " + std::to_string(dim));
        dims.push_back(static_cast<int64_t>(dim));
    }
    return dims;
}

int64_t dump_type_of(int64_t acl_code) {
    const auto type = data_type_from_acl(acl_code);
    return type && acl_code != info(DataType::kUndefined).acl_code ? static_cast<int64_t>(*type)
                                                                   : -1;
}

DumpTensor parse_entry(Cursor& cursor, bool is_output) {
    DumpTensor tensor;
    tensor.data_type = dump_type_of(cursor.i32());
    tensor.format = cursor.i32();
    static_cast<void>(cursor.i32());  // kind of address
    if (is_output) {
        tensor.original_output_index = static_cast<uint64_t>(cursor.i32());
        tensor.original_data_type = dump_type_of(cursor.i32());
        tensor.original_format = cursor.i32();
    }
    tensor.address = cursor.u64();
    tensor.offset = cursor.u64();
    tensor.size = cursor.u64();
    for (Cursor extras(cursor.take(cursor.u32())); !extras.at_end();) {
        const uint32_t tag = extras.u32();
        const auto value = extras.take(extras.u32());
        if (tag == kShapeTag) tensor.shape = parse_dims(value);
        if (tag == kOriginalShapeTag) tensor.original_shape = parse_dims(value);
        if (tag == kNameTag)
            tensor.original_name.assign(reinterpret_cast<const char*>(value.data()), value.size());
    }
    return tensor;
}

std::vector<DumpTensor> parse_entries(std::span<const std::byte> value, bool is_output) {
    Cursor cursor(value);
    const uint32_t count = cursor.u32();
    if (count > kMostEntries)
        throw Error(ErrorKind::kFormat, "it lists " + std::to_string(count) + " tensors");
    std::vector<DumpTensor> tensors;
    for (uint32_t i = 0; i < count; ++i)
        tensors.push_back(parse_entry(cursor, is_output));
    return tensors;
}

}  // namespace

DumpFile parse_nano_head(std::span<const std::byte> head) {
    DumpFile dump;
    dump.is_nano = true;
    Cursor cursor(head);
    if (cursor.u32() != kNanoMagic) throw Error(ErrorKind::kFormat, "it is no nano dump");
    dump.version = std::to_string(cursor.u32());
    while (!cursor.at_end()) {
        const uint32_t tag = cursor.u32();
        const auto value = cursor.take(cursor.u32());
        if (tag == kInputsTag) dump.inputs = parse_entries(value, false);
        if (tag == kOutputsTag) dump.outputs = parse_entries(value, true);
    }
    return dump;
}

}  // namespace npuscope::cann_dump
