// Memory for many elements: aligned for vectors, not initialised, on huge pages where it is large.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

namespace npuscope {

/// `nbytes` bytes whose content is not set, aligned to 64. Large blocks ask the system for huge
/// pages, and up to 64 MB of them are kept for the next of their size: a fresh page costs more
/// than the work on its elements. Errors: std::bad_alloc.
class MemoryBlock {
  public:
    explicit MemoryBlock(size_t nbytes);
    ~MemoryBlock();
    MemoryBlock(const MemoryBlock&) = delete;
    MemoryBlock& operator=(const MemoryBlock&) = delete;
    MemoryBlock(MemoryBlock&& other) noexcept;
    MemoryBlock& operator=(MemoryBlock&& other) noexcept;

    [[nodiscard]] std::byte* data() const;

  private:
    size_t large_;  ///< bytes of a large block, 0 for a small one
    void* start_;
};

/// A block of `count` elements that are not set. Errors: std::bad_alloc.
template <class T>
requires std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>
class Buffer {
  public:
    Buffer() : Buffer(0) {}
    explicit Buffer(size_t count) : block_(count * sizeof(T)), count_(count) {}

    [[nodiscard]] T* data() { return reinterpret_cast<T*>(block_.data()); }
    [[nodiscard]] const T* data() const { return reinterpret_cast<const T*>(block_.data()); }
    [[nodiscard]] size_t size() const { return count_; }
    [[nodiscard]] T& operator[](size_t i) { return data()[i]; }
    [[nodiscard]] const T& operator[](size_t i) const { return data()[i]; }
    [[nodiscard]] std::span<T> span() { return {data(), count_}; }
    [[nodiscard]] std::span<const T> span() const { return {data(), count_}; }

  private:
    MemoryBlock block_;
    size_t count_;
};

}  // namespace npuscope
