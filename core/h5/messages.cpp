#include "core/h5/messages.h"

#include <limits>

#include "core/h5/float_formats.h"

namespace npuscope::h5 {

namespace {

void read_integer(Cursor& in, uint32_t flags, Datatype& type) {
    const unsigned offset = in.u16();
    const unsigned precision = in.u16();
    type.type_class = Datatype::Class::kInteger;
    type.is_signed = (flags & 8) != 0;
    type.big_endian = (flags & 1) != 0 && type.size > 1;
    type.is_plain = offset == 0 && precision == 8 * uint64_t{type.size};
    constexpr std::array<DType, 4> kSigned = {
        DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64};
    constexpr std::array<DType, 4> kUnsigned = {
        DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64};
    for (size_t i = 0; i < kSigned.size(); ++i)
        if (type.size == 1U << i) type.dtype = type.is_signed ? kSigned[i] : kUnsigned[i];
    type.is_plain = type.is_plain && type.dtype.has_value();
}

void read_float(Cursor& in, uint32_t flags, Datatype& type) {
    const unsigned offset = in.u16();
    const unsigned precision = in.u16();
    const unsigned exponent = in.u8();
    const unsigned exponent_bits = in.u8();
    const unsigned mantissa = in.u8();
    const unsigned mantissa_bits = in.u8();
    const uint32_t bias = in.u32();
    const unsigned sign = flags >> 8 & 0xffU;
    const unsigned normalization = flags >> 4 & 3U;
    const bool vax = (flags & 0x40) != 0;
    type.type_class = Datatype::Class::kFloat;
    type.is_signed = true;
    type.big_endian = (flags & 1) != 0;
    for (const FloatFormat& known : kFloatFormats) {
        const size_t size = size_of(known.dtype);
        if (type.size != size || precision != 8 * size || exponent_bits != known.exponent_bits)
            continue;
        type.dtype = known.dtype;
        type.is_plain = !vax && offset == 0 && normalization == 2 && bias == known.bias &&
                        mantissa == 0 && mantissa_bits == known.mantissa_bits &&
                        exponent == known.mantissa_bits && sign == precision - 1;
    }
}

/// h5py's bool: an enumeration of int8 with FALSE = 0 and TRUE otherwise. Others are kOther.
void read_enumeration(Cursor& in, uint8_t version, uint32_t flags, Datatype& type) {
    if (type.size != 1 || (flags & 0xffffU) != 2) return;
    const Cursor base = in.part(8 + 4);
    const Datatype element = read_datatype(base);
    if (element.type_class != Datatype::Class::kInteger || element.size != 1) return;
    std::array<std::string_view, 2> names;
    for (std::string_view& name : names) {
        const auto* begin = reinterpret_cast<const char*>(in.position());
        name = {begin, strnlen(begin, in.left())};
        in.skip(version < 3 ? padded(name.size() + 1) : name.size() + 1);
    }
    bool is_bool = true;
    for (const std::string_view name : names)
        is_bool = is_bool && name == (in.u8() == 0 ? "FALSE" : "TRUE");
    if (!is_bool) return;
    type.type_class = Datatype::Class::kBool;
    type.dtype = DType::kBool;
    type.is_plain = element.is_plain;
}

}  // namespace

Dataspace read_dataspace(Cursor in) {
    Dataspace space;
    const uint8_t version = in.u8();
    space.rank = in.u8();
    const uint8_t flags = in.u8();
    if (space.rank > kMostDimensions) throw Damaged{"it has too many dimensions"};
    if (version == 1) {
        in.skip(5);
    } else if (version == 2) {
        constexpr uint8_t kNullSpace = 2;
        space.is_null = in.u8() == kNullSpace;
    } else {
        throw Unsupported{"an unknown dataspace"};
    }
    static_cast<void>(flags);  // largest dimensions follow; they are of no interest
    if (space.is_null) {
        space.rank = 0;
        space.numel = 0;
        return space;
    }
    bool fits = true;
    for (int axis = 0; axis < space.rank; ++axis) {
        const uint64_t dim = in.u64();
        fits = fits && dim <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
        const auto length = static_cast<int64_t>(dim);
        space.dims[static_cast<size_t>(axis)] = length;
        fits = !__builtin_mul_overflow(space.numel, length, &space.numel) && fits;
    }
    if (!fits) throw Damaged{"its shape has more elements than can be counted"};
    return space;
}

Datatype read_datatype(Cursor in) {
    constexpr uint8_t kNewestVersion = 4;  // of HDF5 1.12: references are others
    const uint8_t head = in.u8();
    const uint8_t version = head >> 4;
    const uint32_t flags = in.u8() | uint32_t{in.u8()} << 8 | uint32_t{in.u8()} << 16;
    Datatype type;
    type.size = in.u32();
    if (version == 0 || version > kNewestVersion) throw Unsupported{"an unknown datatype"};
    type.stored_class = head & 0xf;
    switch (type.stored_class) {
        case 0:
            read_integer(in, flags, type);
            break;
        case 1:
            read_float(in, flags, type);
            break;
        case 3:
            type.type_class = Datatype::Class::kFixedString;
            type.is_plain = true;
            break;
        case 6:
            type.member_count = flags & 0xffffU;
            break;
        case 8:
            read_enumeration(in, version, flags, type);
            break;
        case 9:
            type.is_variable_string = (flags & 0xf) == 1;
            break;
        default:
            break;
    }
    if (type.size == 0) throw Damaged{"its datatype has no bytes"};
    return type;
}

namespace {

void read_chunked_layout(Cursor& in, Layout& layout) {
    layout.layout_class = Layout::Class::kChunked;
    const unsigned dimensions = in.u8();
    layout.tree = in.u64();
    if (dimensions < 2 || dimensions > kMostDimensions + 1)
        throw Damaged{"its pieces have no shape"};
    layout.chunk_rank = static_cast<int>(dimensions) - 1;
    for (unsigned axis = 0; axis + 1 < dimensions; ++axis)
        layout.chunk[axis] = in.u32();
    layout.chunk_element_bytes = in.u32();
}

}  // namespace

Layout read_layout(Cursor in) {
    constexpr uint8_t kCompact = 0;
    constexpr uint8_t kContiguous = 1;
    constexpr uint8_t kChunked = 2;
    Layout layout;
    const uint8_t version = in.u8();
    if (version == 0 || version > 4) throw Unsupported{"an unknown layout"};
    const bool is_old = version < 3;
    const unsigned dimensions = is_old ? in.u8() : 0;
    const uint8_t layout_class = in.u8();
    if (layout_class == kChunked && version == 3) {
        read_chunked_layout(in, layout);
        return layout;
    }
    if (layout_class != kCompact && layout_class != kContiguous)
        throw Unsupported{"a virtual layout, or a new one of pieces"};
    if (is_old) in.skip(5);
    if (layout_class == kContiguous) {
        layout.address = in.u64();
        layout.has_size = !is_old;
        if (!is_old) layout.size = in.u64();
        return layout;
    }
    layout.layout_class = Layout::Class::kCompact;
    if (is_old) in.skip(uint64_t{4} * dimensions);
    layout.size = is_old ? in.u32() : in.u16();
    layout.compact = in.take(layout.size);
    return layout;
}

LinkMessage read_link(Cursor in) {
    constexpr uint8_t kHasOrder = 4;
    constexpr uint8_t kHasType = 8;
    constexpr uint8_t kHasCharset = 16;
    if (in.u8() != 1) throw Unsupported{"an unknown kind of link"};
    const uint8_t flags = in.u8();
    const uint8_t type = (flags & kHasType) != 0 ? in.u8() : 0;
    LinkMessage link;
    if ((flags & kHasOrder) != 0) link.order = in.u64();
    if ((flags & kHasCharset) != 0) in.skip(1);
    const uint64_t length = in.sized(1U << (flags & 3U));
    link.name = {reinterpret_cast<const char*>(in.take(length)), length};
    if (type == 0) link.address = in.u64();
    return link;
}

LinkInfo read_link_info(Cursor in) {
    if (in.u8() != 0) throw Unsupported{"an unknown list of links"};
    LinkInfo info;
    const uint8_t flags = in.u8();
    info.tracks_order = (flags & 1) != 0;
    if (info.tracks_order) in.skip(8);
    info.is_dense = in.u64() != kUndefinedAddress;
    return info;
}

bool has_dense_attributes(Cursor in) {
    if (in.u8() != 0) throw Unsupported{"an unknown list of attributes"};
    if ((in.u8() & 1) != 0) in.skip(2);
    return in.u64() != kUndefinedAddress;
}

AttributeMessage read_attribute(Cursor in) {
    constexpr uint8_t kShared = 3;  // its type or its dataspace lies elsewhere
    const uint8_t version = in.u8();
    if (version == 0 || version > 3) throw Unsupported{"an unknown kind of attribute"};
    const uint8_t flags = in.u8();
    if (version > 1 && (flags & kShared) != 0) throw Unsupported{"a shared datatype"};
    const uint64_t name_size = in.u16();
    const uint64_t type_size = in.u16();
    const uint64_t space_size = in.u16();
    if (version == 3) in.skip(1);
    const auto stored = [&](uint64_t size) { return version == 1 ? padded(size) : size; };
    AttributeMessage attribute;
    const auto* name = reinterpret_cast<const char*>(in.take(stored(name_size)));
    attribute.name = {name, strnlen(name, name_size)};
    attribute.type = in.part(stored(type_size));
    attribute.space = in.part(stored(space_size));
    attribute.data = in;
    return attribute;
}

}  // namespace npuscope::h5
