// Memory for many elements: aligned for vectors, not initialised, on huge pages where it is large.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

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

/// Memory as a block's, but for its alignment, which is that of operator new. Errors:
/// std::bad_alloc.
[[nodiscard]] void* take_memory(size_t nbytes);
void give_memory_back(void* memory, size_t nbytes);

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

/// Has vectors live in such blocks, a copy's size at a time. Elements that are given no value are
/// not set.
template <class T>
class KeptBlocksAllocator {
  public:
    using value_type = T;

    KeptBlocksAllocator() = default;
    template <class U>
    // NOLINTNEXTLINE(google-explicit-constructor): what the library asks of an allocator
    KeptBlocksAllocator(const KeptBlocksAllocator<U>&) {}

    [[nodiscard]] T* allocate(size_t count) {
        if (count > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
        return static_cast<T*>(take_memory(count * sizeof(T)));
    }
    void deallocate(T* elements, size_t count) { give_memory_back(elements, count * sizeof(T)); }
    template <class U>
    void construct(U* element) {
        ::new (static_cast<void*>(element)) U;
    }
    template <class U, class... Arguments>
    void construct(U* element, Arguments&&... arguments) {
        ::new (static_cast<void*>(element)) U(std::forward<Arguments>(arguments)...);
    }
    bool operator==(const KeptBlocksAllocator&) const = default;
};

}  // namespace npuscope
