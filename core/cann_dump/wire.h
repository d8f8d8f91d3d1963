// Protocol buffers' wire format, checked byte by byte and without copies.
// Source: protobuf.dev, "Encoding".
//
// The library itself is not used: its messages are limited to 2 GB and would copy what is only
// looked at here, and a damaged dump must cost no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace npuscope::cann_dump {

/// A number of at most 8 bytes.
[[nodiscard]] uint64_t little_endian(std::span<const std::byte> bytes);

/// One field as it lies in the message.
struct WireField {
    uint64_t number = 0;
    bool is_bytes = false;             ///< a string, bytes, a message or packed numbers
    uint64_t value = 0;                ///< of a number
    std::span<const std::byte> bytes;  ///< borrowed from the message

    [[nodiscard]] std::string text() const {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
};

/// Errors: Error(kFormat) as soon as something does not fit.
class WireReader {
  public:
    explicit WireReader(std::span<const std::byte> message) : rest_(message) {}
    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] WireField field();
    /// The next of the numbers in a packed field.
    [[nodiscard]] uint64_t varint();

  private:
    [[nodiscard]] std::span<const std::byte> take(uint64_t count);

    std::span<const std::byte> rest_;
};

/// Fields of the value 0 or "" are left out, as proto3 does.
class WireWriter {
  public:
    void number(uint32_t field, uint64_t value);
    void bytes(uint32_t field, std::string_view value);
    /// A message is written even when it is empty.
    void message(uint32_t field, const WireWriter& value);
    /// One number of a packed field, without a tag.
    void varint(uint64_t value);
    [[nodiscard]] const std::string& text() const { return text_; }

  private:
    std::string text_;
};

}  // namespace npuscope::cann_dump
