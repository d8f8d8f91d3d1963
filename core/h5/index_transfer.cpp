#include "core/h5/index_transfer.h"

#include <limits>

#include "core/h5/wire.h"

namespace npuscope::h5 {

namespace {

enum Mark : uint8_t { kLeadsBack = 1, kDamagedAttributes = 2 };
enum Sort : uint8_t { kNumbers, kTextOf, kOther };
constexpr uint8_t kNoDType = 255;

void put_info(const DatasetInfo& info, ByteBuilder& out) {
    out.u8(info.dtype ? static_cast<uint8_t>(*info.dtype) : kNoDType);
    out.u8(info.big_endian ? 1 : 0);
    out.u8(info.null_space ? 1 : 0);
    put_text(out, info.numpy_name);
    put_numbers(out, info.shape);
    out.u64(info.storage_bytes);
    out.u64(info.offset.value_or(Node::kNoOffset));
}

DatasetInfo take_info(Cursor& in) {
    DatasetInfo info;
    const uint8_t dtype = in.u8();
    if (dtype != kNoDType) {
        if (dtype >= all_dtypes().size()) throw Damaged{"an unknown dtype"};
        info.dtype = static_cast<DType>(dtype);
    }
    info.big_endian = in.u8() != 0;
    info.null_space = in.u8() != 0;
    info.numpy_name = take_text(in);
    info.shape = take_numbers(in);
    if (info.shape.size() > std::numeric_limits<uint8_t>::max()) throw Damaged{"an odd shape"};
    for (const int64_t dim : info.shape)
        if (dim < 0) throw Damaged{"an odd shape"};
    info.storage_bytes = in.u64();
    const uint64_t offset = in.u64();
    if (offset != Node::kNoOffset) info.offset = offset;
    return info;
}

void take_attributes(Cursor& in, IndexBuilder& target) {
    const uint32_t count = in.u32();
    for (uint32_t i = 0; i < count; ++i) {
        const std::string_view name = target.keep(take_text(in));
        switch (in.u8()) {
            case kNumbers:
                target.add_integers(name, take_numbers(in));
                break;
            case kTextOf:
                target.add_text(name, target.keep(take_text(in)));
                break;
            default:
                target.add_other(name);
        }
    }
}

void put_attributes(const Index& index, int32_t node, ByteBuilder& out) {
    const Node& of = index[node];
    out.u32(of.attribute_count);
    for (uint32_t i = 0; i < of.attribute_count; ++i) {
        const std::string_view name = index.attribute_name(node, i);
        put_text(out, name);
        if (const auto numbers = index.integers(node, name); numbers && !name.empty()) {
            out.u8(kNumbers);
            put_numbers(out, *numbers);
        } else if (const auto text = index.text(node, name); text && !name.empty()) {
            out.u8(kTextOf);
            put_text(out, *text);
        } else {
            out.u8(kOther);
        }
    }
}

}  // namespace

void put_index(const Index& index, ByteBuilder& out) {
    out.u64(index.nodes().size());
    for (int32_t node = 0; node < static_cast<int32_t>(index.nodes().size()); ++node) {
        const Node& of = index[node];
        out.u32(static_cast<uint32_t>(of.parent));
        put_text(out, of.name);
        out.u8(static_cast<uint8_t>(of.kind));
        out.u8(static_cast<uint8_t>((of.leads_back ? kLeadsBack : 0) |
                                    (of.damaged_attributes ? kDamagedAttributes : 0)));
        if (of.kind == ObjectKind::kDataset) put_info(index.dataset(node), out);
        put_attributes(index, node, out);
    }
    out.u64(static_cast<uint64_t>(index.skipped_count()));
    out.u64(index.warnings().size());
    for (const std::string& line : index.warnings())
        put_text(out, line);
}

void take_index(Cursor& in, IndexBuilder& target, int32_t node) {
    const uint64_t count = in.u64();
    std::vector<int32_t> numbers;  // of the sent nodes here
    std::vector<int32_t> last_child;
    for (uint64_t i = 0; i < count; ++i) {
        const uint32_t parent = in.u32();
        const std::string_view name = take_text(in);
        if (i > 0 && parent >= i) throw Damaged{"a child before its parent"};
        if (i > 0 && target.is_full()) throw Damaged{"the file refers to more than it can hold"};
        const int32_t here = i == 0 ? node : target.add(numbers[parent], name);
        numbers.push_back(here);
        last_child.push_back(-1);
        const uint8_t kind = in.u8();
        if (kind > static_cast<uint8_t>(ObjectKind::kOther)) throw Damaged{"an unknown kind"};
        const uint8_t marks = in.u8();
        if (kind == static_cast<uint8_t>(ObjectKind::kDataset))
            target.set_library_info(here, take_info(in));
        target[here].kind = static_cast<ObjectKind>(kind);
        target[here].leads_back = (marks & kLeadsBack) != 0;
        target[here].damaged_attributes = (marks & kDamagedAttributes) != 0;
        take_attributes(in, target);
        if (i == 0) continue;
        target.hang(here, last_child[parent]);
        last_child[parent] = here;
    }
    const auto skipped = static_cast<int64_t>(in.u64());
    std::vector<std::string> lines;
    for (uint64_t left = in.u64(); left > 0; --left)
        lines.emplace_back(take_text(in));
    target.add_warnings(lines, skipped);
}

}  // namespace npuscope::h5
