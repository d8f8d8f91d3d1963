// Bounds-checked reading of the bytes of an HDF5 file. Included by core/h5/*.cpp and their tests.
//
// Source: HDF5 File Format Specification, version 3.0 (all numbers are little endian). The parsers
// of this folder throw Damaged where the bytes contradict the specification or leave the file, and
// Unsupported where they are right but beyond what is read without the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>

namespace npuscope::h5 {

/// What is wrong with an object's bytes.
struct Damaged : std::exception {
    explicit Damaged(const char* why) : reason(why) {}
    [[nodiscard]] const char* what() const noexcept override { return reason; }
    const char* reason;
};
/// What the library has to be asked for.
struct Unsupported : std::exception {
    explicit Unsupported(const char* why) : reason(why) {}
    [[nodiscard]] const char* what() const noexcept override { return reason; }
    const char* reason;
};

/// Much of a file is padded to multiples of 8 bytes.
constexpr uint64_t padded(uint64_t size) {
    return (size + 7) / 8 * 8;
}

/// The address of nothing.
inline constexpr uint64_t kUndefinedAddress = ~uint64_t{0};

/// Reads forward through a stretch of bytes and never past its end.
class Cursor {
  public:
    Cursor() = default;
    Cursor(const std::byte* at, const std::byte* end) : at_(at), end_(end) {}

    [[nodiscard]] size_t left() const { return static_cast<size_t>(end_ - at_); }
    [[nodiscard]] const std::byte* position() const { return at_; }
    /// `count` bytes, which are then behind the cursor.
    const std::byte* take(uint64_t count) {
        if (count > left()) leave();
        const std::byte* taken = at_;
        at_ += count;
        return taken;
    }
    void skip(uint64_t count) { take(count); }
    Cursor part(uint64_t count) {
        const std::byte* begin = take(count);
        return {begin, begin + count};
    }
    uint8_t u8() { return number<uint8_t>(); }
    uint16_t u16() { return number<uint16_t>(); }
    uint32_t u32() { return number<uint32_t>(); }
    uint64_t u64() { return number<uint64_t>(); }
    /// A number of `width` bytes: 1, 2, 4 or 8.
    uint64_t sized(unsigned width) {
        uint64_t value = 0;
        std::memcpy(&value, take(width), width);
        return value;
    }
    void expect(std::string_view signature) {
        if (std::memcmp(take(signature.size()), signature.data(), signature.size()) != 0)
            throw Damaged{"a signature is missing"};
    }

  private:
    [[noreturn]] static void leave() { throw Damaged{"it refers to bytes that are not there"}; }
    template <class T>
    T number() {
        T value;
        std::memcpy(&value, take(sizeof(T)), sizeof(T));
        return value;
    }

    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
};

/// The bytes of a file and the place that its addresses count from.
class FileBytes {
  public:
    FileBytes() = default;
    FileBytes(std::span<const std::byte> bytes, uint64_t base) : bytes_(bytes), base_(base) {}

    [[nodiscard]] uint64_t base() const { return base_; }
    [[nodiscard]] uint64_t size() const { return bytes_.size(); }
    [[nodiscard]] uint64_t offset_of(const std::byte* position) const {
        return static_cast<uint64_t>(position - bytes_.data());
    }
    /// From an address to the end of the file.
    [[nodiscard]] Cursor at(uint64_t address) const {
        if (address > bytes_.size() - base_) throw Damaged{"it refers beyond the end of the file"};
        const std::byte* begin = bytes_.data() + base_ + address;
        return {begin, bytes_.data() + bytes_.size()};
    }
    [[nodiscard]] Cursor at(uint64_t address, uint64_t length) const {
        return at(address).part(length);
    }

  private:
    std::span<const std::byte> bytes_;
    uint64_t base_ = 0;  ///< at most bytes_.size()
};

/// How much work one file may cause: a damaged one can refer to the same bytes again and again.
class WorkLimit {
  public:
    explicit WorkLimit(uint64_t file_size) : left_(file_size / 2 + (uint64_t{1} << 16)) {}
    /// False, for good, when the limit is reached.
    bool spend(uint64_t steps) {
        if (steps > left_) {
            left_ = 0;
            return false;
        }
        left_ -= steps;
        return true;
    }
    [[nodiscard]] bool is_spent() const { return left_ == 0; }
    /// The same as spend(); Damaged when the limit is reached.
    void require(uint64_t steps) {
        if (!spend(steps)) throw Damaged{"the file refers to more than it can hold"};
    }

  private:
    uint64_t left_;
};

}  // namespace npuscope::h5
