// Builds the object headers of the append-only writer. Included by core/h5/*.cpp only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/dtype/dtype.h"
#include "core/h5/append_writer.h"
#include "core/h5/byte_builder.h"
#include "core/h5/h5.h"
#include "core/h5/object_header.h"

namespace npuscope::h5 {

/// Where a dataset's elements lie.
struct Place {
    uint64_t address = kUndefinedAddress;
    uint64_t bytes = 0;
};

/// Elements in pieces of one shape, found through a tree (core/h5/chunk_tree.h).
struct ChunkedPlace {
    uint64_t tree = kUndefinedAddress;
    std::span<const uint64_t> chunk;  ///< shape of a piece
    uint32_t element_bytes = 0;
    int deflate_level = 0;
};

/// One object header of version 2, message by message; build() ends it.
///
/// Errors  Error(kUnsupported) when a message is longer than 65 535 bytes.
/// Source  HDF5 File Format Specification 3.0, IV.A.1.b and IV.A.2.
class HeaderBuilder {
  public:
    void dataspace(std::span<const int64_t> shape);
    void datatype(DType dtype);
    void text_type(uint32_t length);
    /// Zeros where nothing was written, space taken late: what libhdf5 notes by default.
    void fill_value();
    void contiguous(const Place& place);
    void chunked(const ChunkedPlace& place);
    /// All attributes, in this order.
    void attributes(std::span<const Attribute> attributes);
    /// Goes before the attributes' messages: libhdf5 counts none without it.
    void attribute_info();
    /// How many names the object may have; absent is one.
    void reference_count(uint32_t count);
    /// This is a group whose links are the messages that follow.
    void group();
    void link(std::string_view name, uint64_t address);
    void stored(const StoredMessage& message);

    /// The whole header; the builder is empty again after the next call of clear().
    [[nodiscard]] std::span<const std::byte> build();
    void clear() { messages_.clear(); }

  private:
    void attribute(const Attribute& attribute);
    template <class Content>
    void message(MessageType type, Content&& content);

    ByteBuilder messages_;
    ByteBuilder header_;
};

}  // namespace npuscope::h5
