#include "core/cann_dump/wire.h"

#include "core/base/error.h"

namespace npuscope::cann_dump {

namespace {

// Wire types of the low three bits of a tag.
constexpr uint64_t kVarint = 0;
constexpr uint64_t kFixed64 = 1;
constexpr uint64_t kBytes = 2;
constexpr uint64_t kFixed32 = 5;
constexpr uint64_t kLargestNumber = (uint64_t{1} << 29) - 1;

[[noreturn]] void damaged(const std::string& what) {
    throw Error(ErrorKind::kFormat, what);
}

}  // namespace

uint64_t little_endian(std::span<const std::byte> bytes) {
    uint64_t value = 0;
    for (size_t i = bytes.size(); i-- > 0;)
        value = value << 8 | std::to_integer<uint64_t>(bytes[i]);
    return value;
}

uint64_t WireReader::varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (rest_.empty()) damaged("a number is cut short");
        const auto byte = std::to_integer<uint64_t>(rest_.front());
        rest_ = rest_.subspan(1);
        value |= (byte & 0x7fu) << shift;
        if ((byte & 0x80u) == 0) return value;
    }
    damaged("a number has more than 10 bytes");
}

std::span<const std::byte> WireReader::take(uint64_t count) {
    if (count > rest_.size()) damaged("a field is longer than what is left");
    const auto taken = rest_.first(static_cast<size_t>(count));
    rest_ = rest_.subspan(static_cast<size_t>(count));
    return taken;
}

WireField WireReader::field() {
    const uint64_t tag = varint();
    WireField field;
    field.number = tag >> 3;
    if (field.number == 0 || field.number > kLargestNumber) damaged("a field has no valid number");
    switch (tag & 7u) {
        case kVarint:
            field.value = varint();
            break;
        case kFixed64:
            field.value = little_endian(take(8));
            break;
        case kFixed32:
            field.value = little_endian(take(4));
            break;
        case kBytes:
            field.is_bytes = true;
            field.bytes = take(varint());
            break;
        default:
            damaged("a field has no valid type");
    }
    return field;
}

void WireWriter::varint(uint64_t value) {
    for (; value >= 0x80u; value >>= 7)
        text_ += static_cast<char>((value & 0x7fu) | 0x80u);
    text_ += static_cast<char>(value);
}

void WireWriter::number(uint32_t field, uint64_t value) {
    if (value == 0) return;
    varint(uint64_t{field} << 3 | kVarint);
    varint(value);
}

void WireWriter::bytes(uint32_t field, std::string_view value) {
    if (value.empty()) return;
    varint(uint64_t{field} << 3 | kBytes);
    varint(value.size());
    text_ += value;
}

void WireWriter::message(uint32_t field, const WireWriter& value) {
    varint(uint64_t{field} << 3 | kBytes);
    varint(value.text_.size());
    text_ += value.text_;
}

}  // namespace npuscope::cann_dump
