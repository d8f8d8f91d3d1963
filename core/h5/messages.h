// What single messages of an object header say. Included by core/h5/*.cpp only.
//
// Every function throws Damaged or Unsupported; views point into the file.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "core/dtype/dtype.h"
#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

inline constexpr int kMostDimensions = 32;

struct Dataspace {
    int rank = 0;  ///< 0: a scalar, unless is_null
    bool is_null = false;
    std::array<int64_t, kMostDimensions> dims;  ///< the first `rank` are set
    int64_t numel = 1;                          ///< 0 when is_null
};
Dataspace read_dataspace(Cursor in);

/// A type of the table, or what stands in its place.
struct Datatype {
    enum class Class : uint8_t { kInteger, kFloat, kBool, kFixedString, kOther };
    Class type_class = Class::kOther;
    std::optional<DType> dtype;  ///< empty for strings, and for integers of odd sizes
    bool big_endian = false;     ///< false for one byte
    bool is_signed = false;
    uint32_t size = 0;
    bool is_variable_string = false;
    uint8_t stored_class = 0;   ///< as the file numbers them
    uint32_t member_count = 0;  ///< of a compound
    bool is_plain = false;      ///< every bit lies where NumPy has it, byte order aside
};
Datatype read_datatype(Cursor in);

struct Layout {
    enum class Class : uint8_t { kCompact, kContiguous, kChunked };
    Class layout_class = Class::kContiguous;
    uint64_t address = kUndefinedAddress;  ///< of contiguous elements
    const std::byte* compact = nullptr;
    uint64_t size = 0;                  ///< bytes
    bool has_size = true;               ///< false for contiguous elements of versions 1 and 2
    uint64_t tree = kUndefinedAddress;  ///< of the pieces, by a version 1 B-tree
    int chunk_rank = 0;                 ///< of the dataset, one less than the layout says
    std::array<uint32_t, kMostDimensions> chunk{};  ///< shape of a piece
    uint32_t chunk_element_bytes = 0;
};
/// Unsupported for virtual datasets, and for pieces that lie in another way.
Layout read_layout(Cursor in);

struct LinkMessage {
    std::string_view name;
    std::optional<uint64_t> address;  ///< of a hard link
    uint64_t order = 0;               ///< of creation, where it is tracked
};
LinkMessage read_link(Cursor in);

struct LinkInfo {
    bool tracks_order = false;
    bool is_dense = false;  ///< links lie in a heap, not in messages
};
LinkInfo read_link_info(Cursor in);

/// Whether the attributes lie in a heap, not in messages.
bool has_dense_attributes(Cursor attribute_info);

struct AttributeMessage {
    std::string_view name;
    Cursor type;
    Cursor space;
    Cursor data;
};
AttributeMessage read_attribute(Cursor in);

}  // namespace npuscope::h5
