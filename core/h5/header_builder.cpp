#include "core/h5/header_builder.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/h5/checksum.h"
#include "core/h5/float_formats.h"

namespace npuscope::h5 {

namespace {

constexpr size_t kLongestMessage = 0xffff;
constexpr uint8_t kUtf8 = 1;

void put_type_head(ByteBuilder& out, uint8_t type_class, uint32_t flags, uint32_t size) {
    constexpr uint8_t kVersion = 1;
    out.u8(static_cast<uint8_t>(kVersion << 4 | type_class));
    out.u8(static_cast<uint8_t>(flags));
    out.u8(static_cast<uint8_t>(flags >> 8));
    out.u8(static_cast<uint8_t>(flags >> 16));
    out.u32(size);
}

void put_datatype(ByteBuilder& out, DType dtype) {
    const auto size = static_cast<uint32_t>(size_of(dtype));
    const auto bits = static_cast<uint16_t>(8 * size);
    if (dtype == DType::kBFloat16)
        throw Error(ErrorKind::kInternal, "bfloat16 has no HDF5 type of its own");
    for (const FloatFormat& format : kFloatFormats) {
        if (format.dtype != dtype) continue;
        constexpr uint32_t kLeadingBitImplied = 0x20;
        put_type_head(out, 1, kLeadingBitImplied | (bits - 1U) << 8, size);
        out.u16(0);
        out.u16(bits);
        out.u8(format.mantissa_bits);  // the exponent begins behind the mantissa
        out.u8(format.exponent_bits);
        out.u8(0);
        out.u8(format.mantissa_bits);
        out.u32(format.bias);
        return;
    }
    put_type_head(out, 0, info(dtype).is_signed || dtype == DType::kBool ? 8U : 0U, size);
    out.u16(0);
    out.u16(bits);
}

void put_text_type(ByteBuilder& out, uint32_t length) {
    constexpr uint32_t kPaddedWithNul = 1;
    put_type_head(out, 3, kPaddedWithNul | uint32_t{kUtf8} << 4, std::max(length, 1U));
}

void put_dataspace(ByteBuilder& out, std::span<const int64_t> shape) {
    constexpr uint8_t kVersion = 2;
    out.u8(kVersion);
    out.u8(static_cast<uint8_t>(shape.size()));
    out.u8(0);                      // no largest dimensions
    out.u8(shape.empty() ? 0 : 1);  // scalar or simple
    for (const int64_t dim : shape)
        out.u64(static_cast<uint64_t>(dim));
}

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

}  // namespace

template <class Content>
void HeaderBuilder::message(MessageType type, Content&& content) {
    messages_.u8(static_cast<uint8_t>(type));
    const size_t size_at = messages_.size();
    messages_.u16(0);
    messages_.u8(0);  // flags
    const size_t begin = messages_.size();
    content();
    const size_t size = messages_.size() - begin;
    if (size > kLongestMessage)
        throw Error(ErrorKind::kUnsupported,
                    "a text of " + std::to_string(size) +
                        " bytes does not fit an attribute, which holds 64 KB at most");
    messages_.put_u16(size_at, static_cast<uint16_t>(size));
}

void HeaderBuilder::dataspace(std::span<const int64_t> shape) {
    message(MessageType::kDataspace, [&] { put_dataspace(messages_, shape); });
}

void HeaderBuilder::datatype(DType dtype) {
    message(MessageType::kDatatype, [&] { put_datatype(messages_, dtype); });
}

void HeaderBuilder::text_type(uint32_t length) {
    message(MessageType::kDatatype, [&] { put_text_type(messages_, length); });
}

void HeaderBuilder::fill_value() {
    constexpr uint8_t kVersion = 3;
    constexpr uint8_t kTakenLate = 2;
    constexpr uint8_t kWrittenIfSet = 2 << 2;
    message(MessageType::kFillValue, [&] {
        messages_.u8(kVersion);
        messages_.u8(kTakenLate | kWrittenIfSet);
    });
}

void HeaderBuilder::contiguous(const Place& place) {
    constexpr uint8_t kVersion = 3;
    constexpr uint8_t kContiguous = 1;
    message(MessageType::kLayout, [&] {
        messages_.u8(kVersion);
        messages_.u8(kContiguous);
        messages_.u64(place.address);
        messages_.u64(place.bytes);
    });
}

void HeaderBuilder::chunked(const ChunkedPlace& place) {
    constexpr uint8_t kVersion = 3;
    constexpr uint8_t kChunked = 2;
    message(MessageType::kLayout, [&] {
        messages_.u8(kVersion);
        messages_.u8(kChunked);
        messages_.u8(static_cast<uint8_t>(place.chunk.size() + 1));
        messages_.u64(place.tree);
        for (const uint64_t dim : place.chunk)
            messages_.u32(static_cast<uint32_t>(dim));
        messages_.u32(place.element_bytes);
    });
    constexpr uint8_t kFilterVersion = 2;
    constexpr uint16_t kDeflate = 1;
    constexpr uint16_t kShuffle = 2;
    const auto filter = [&](uint16_t number, uint16_t flags, uint32_t value) {
        messages_.u16(number);
        messages_.u16(flags);
        messages_.u16(1);  // one value
        messages_.u32(value);
    };
    message(MessageType::kFilters, [&] {
        messages_.u8(kFilterVersion);
        messages_.u8(2);
        constexpr uint16_t kOptional = 1;
        filter(kShuffle, kOptional, place.element_bytes);
        filter(kDeflate, kOptional, static_cast<uint32_t>(place.deflate_level));
    });
}

void HeaderBuilder::attribute(const Attribute& attribute) {
    const auto head = [&](size_t type_bytes, size_t space_bytes) {
        constexpr uint8_t kVersion = 3;
        messages_.u8(kVersion);
        messages_.u8(0);  // nothing is shared
        messages_.u16(static_cast<uint16_t>(attribute.name.size() + 1));
        messages_.u16(static_cast<uint16_t>(type_bytes));
        messages_.u16(static_cast<uint16_t>(space_bytes));
        messages_.u8(is_ascii(attribute.name) ? 0 : kUtf8);
        messages_.text(attribute.name);
        messages_.u8(0);
    };
    constexpr size_t kIntegerBytes = 12;
    constexpr size_t kTextBytes = 8;
    constexpr size_t kScalarBytes = 4;
    constexpr size_t kListBytes = 12;
    message(MessageType::kAttribute, [&] {
        if (const auto* number = std::get_if<int32_t>(&attribute.value)) {
            head(kIntegerBytes, kScalarBytes);
            put_datatype(messages_, DType::kInt32);
            put_dataspace(messages_, {});
            messages_.u32(static_cast<uint32_t>(*number));
        } else if (const auto* list = std::get_if<std::vector<int64_t>>(&attribute.value)) {
            const auto length = static_cast<int64_t>(list->size());
            head(kIntegerBytes, kListBytes);
            put_datatype(messages_, DType::kInt64);
            put_dataspace(messages_, {&length, 1});
            messages_.raw(std::as_bytes(std::span(*list)));
        } else {
            const auto& text = std::get<std::string>(attribute.value);
            head(kTextBytes, kScalarBytes);
            put_text_type(messages_, static_cast<uint32_t>(text.size()));
            put_dataspace(messages_, {});
            messages_.text(text);
            if (text.empty()) messages_.u8(0);
        }
    });
}

void HeaderBuilder::attribute_info() {
    message(MessageType::kAttributeInfo, [&] {
        messages_.u8(0);
        messages_.u8(0);                   // no order of creation
        messages_.u64(kUndefinedAddress);  // attributes are messages,
        messages_.u64(kUndefinedAddress);  // not in a heap
    });
}

void HeaderBuilder::attributes(std::span<const Attribute> attributes) {
    if (attributes.empty()) return;
    attribute_info();
    for (const Attribute& one : attributes)
        attribute(one);
}

void HeaderBuilder::reference_count(uint32_t count) {
    message(MessageType::kReferenceCount, [&] {
        messages_.u8(0);
        messages_.u32(count);
    });
}

void HeaderBuilder::group() {
    message(MessageType::kLinkInfo, [&] {
        messages_.u8(0);
        messages_.u8(0);                   // no order of creation
        messages_.u64(kUndefinedAddress);  // links are messages,
        messages_.u64(kUndefinedAddress);  // not in a heap
    });
    message(MessageType::kGroupInfo, [&] {
        messages_.u8(0);
        messages_.u8(0);
    });
}

void HeaderBuilder::link(std::string_view name, uint64_t address) {
    constexpr uint8_t kVersion = 1;
    constexpr uint8_t kHasCharset = 16;
    message(MessageType::kLink, [&] {
        const unsigned width = name.size() <= 0xff ? 1 : 2;
        const bool ascii = is_ascii(name);
        messages_.u8(kVersion);
        messages_.u8(static_cast<uint8_t>((width - 1) | (ascii ? 0U : kHasCharset)));
        if (!ascii) messages_.u8(kUtf8);
        messages_.sized(name.size(), width);
        messages_.text(name);
        messages_.u64(address);
    });
}

void HeaderBuilder::stored(const StoredMessage& from) {
    message(static_cast<MessageType>(from.type), [&] { messages_.raw(from.content); });
}

std::span<const std::byte> HeaderBuilder::build() {
    constexpr uint8_t kVersion = 2;
    const size_t size = messages_.size();
    const unsigned width = size <= 0xff ? 1 : size <= 0xffff ? 2 : 4;
    if (size > std::numeric_limits<uint32_t>::max())
        throw Error(ErrorKind::kUnsupported, "a group has too many links for its header");
    header_.clear();
    header_.text("OHDR");
    header_.u8(kVersion);
    header_.u8(static_cast<uint8_t>(std::countr_zero(width)));
    header_.sized(size, width);
    header_.raw(messages_.bytes());
    header_.u32(checksum(header_.bytes()));
    return header_.bytes();
}

}  // namespace npuscope::h5
