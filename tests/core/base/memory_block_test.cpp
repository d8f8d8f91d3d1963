#include "core/base/memory_block.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope {
namespace {

constexpr size_t kLarge = size_t{5} << 20;

TEST(MemoryBlock, is_aligned_for_vectors_at_any_size) {
    for (const size_t size : {size_t{0}, size_t{1}, size_t{4096}, kLarge, kLarge + 1}) {
        const MemoryBlock block(size);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(block.data()) % 64, 0U) << size;
        std::memset(block.data(), 1, size);
    }
}

TEST(MemoryBlock, blocks_that_live_together_do_not_overlap) {
    MemoryBlock first(kLarge);
    { const MemoryBlock given_back(kLarge); }
    MemoryBlock second(kLarge);
    const MemoryBlock third(kLarge);
    std::memset(first.data(), 1, kLarge);
    std::memset(second.data(), 2, kLarge);
    std::memset(third.data(), 3, kLarge);
    EXPECT_EQ(first.data()[kLarge - 1], std::byte{1});
    EXPECT_EQ(second.data()[0], std::byte{2});
    EXPECT_EQ(second.data()[kLarge - 1], std::byte{2});
    EXPECT_EQ(third.data()[0], std::byte{3});
}

TEST(MemoryBlock, moves_its_bytes) {
    MemoryBlock block(kLarge);
    std::byte* const bytes = block.data();
    MemoryBlock other(std::move(block));
    EXPECT_EQ(other.data(), bytes);
    MemoryBlock third(16);
    third = std::move(other);
    EXPECT_EQ(third.data(), bytes);
}

TEST(MemoryBlock, too_much_is_bad_alloc) {
    EXPECT_THROW(static_cast<void>(MemoryBlock{std::numeric_limits<size_t>::max()}),
                 std::bad_alloc);
}

TEST(KeptBlocksAllocator, vectors_hold_and_move_their_elements) {
    for (const size_t count : {size_t{3}, kLarge / sizeof(double)}) {
        std::vector<double, KeptBlocksAllocator<double>> elements(count);
        elements.back() = 2;
        elements.push_back(4);
        const auto other = std::move(elements);
        ASSERT_EQ(other.size(), count + 1);
        EXPECT_EQ(other[count - 1], 2);
        EXPECT_EQ(other[count], 4);
    }
    EXPECT_THROW(static_cast<void>(KeptBlocksAllocator<double>().allocate(
                     std::numeric_limits<size_t>::max() / 2)),
                 std::bad_alloc);
}

TEST(Buffer, holds_elements) {
    Buffer<float> buffer(3);
    buffer[2] = 1.5f;
    EXPECT_EQ(buffer.size(), 3U);
    EXPECT_EQ(std::as_const(buffer).span()[2], 1.5f);
    EXPECT_EQ(Buffer<float>().size(), 0U);
}

}  // namespace
}  // namespace npuscope
