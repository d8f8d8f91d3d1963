// Little-endian bytes put one behind the other. Included by core/h5/*.cpp only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace npuscope::h5 {

class ByteBuilder {
  public:
    [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.data(), size_}; }
    [[nodiscard]] size_t size() const { return size_; }

    void u8(uint8_t value) { number(value); }
    void u16(uint16_t value) { number(value); }
    void u32(uint32_t value) { number(value); }
    void u64(uint64_t value) { number(value); }
    /// A number of `width` bytes: 1, 2, 4 or 8.
    void sized(uint64_t value, unsigned width) { std::memcpy(room(width), &value, width); }
    void raw(std::span<const std::byte> added) {
        if (!added.empty()) std::memcpy(room(added.size()), added.data(), added.size());
    }
    void text(std::string_view added) { raw(std::as_bytes(std::span(added))); }
    void zeros(size_t count) {
        if (count > 0) std::memset(room(count), 0, count);
    }
    /// Overwrites what was put at `at` earlier.
    void put_u16(size_t at, uint16_t value) {
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }
    void clear() { size_ = 0; }

  private:
    template <class T>
    void number(T value) {
        std::memcpy(room(sizeof(T)), &value, sizeof(T));
    }
    std::byte* room(size_t count) {
        if (size_ + count > bytes_.size()) bytes_.resize(2 * bytes_.size() + count);
        std::byte* at = bytes_.data() + size_;
        size_ += count;
        return at;
    }

    std::vector<std::byte> bytes_ = std::vector<std::byte>(512);
    size_t size_ = 0;
};

}  // namespace npuscope::h5
