#include "core/base/memory_block.h"

#include <cstdint>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace npuscope {

namespace {

constexpr size_t kVectorAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;
/// Below this the unused rest of the last huge page would weigh too much.
constexpr size_t kLarge = 2 * kHugePage;

#ifdef __SANITIZE_ADDRESS__
// A block that is used after its end must be found out.
constexpr size_t kMostKept = 0;
void* take_pages(size_t size) {
    return ::operator new (size, std::align_val_t{kHugePage});
}
void give_pages_back(void* memory, size_t) {
    ::operator delete (memory, std::align_val_t{kHugePage});
}
#else
constexpr size_t kMostKept = size_t{64} << 20;
// Of the system itself: among the allocator's smaller blocks, holes of large ones stay in memory.
void* take_pages(size_t size) {
    void* const all =
        mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    auto* const begin = static_cast<std::byte*>(all);
    const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(all) % kHugePage) % kHugePage;
    if (before > 0) munmap(begin, before);
    munmap(begin + before + size, kHugePage - before);
    return begin + before;
}
void give_pages_back(void* memory, size_t size) {
    munmap(memory, size);
}
#endif

// Programs that fuzz define a smaller one: their allocator ends the program instead of failing.
#ifdef NPUSCOPE_LARGEST_BLOCK
constexpr size_t kLargestBlock = NPUSCOPE_LARGEST_BLOCK;
#else
constexpr size_t kLargestBlock = size_t{PTRDIFF_MAX} - kHugePage;
#endif

/// Errors: std::bad_alloc for more than any machine has, before sums of it overflow.
size_t rounded(size_t nbytes) {
    if (nbytes > kLargestBlock) throw std::bad_alloc();
    return (nbytes + kHugePage - 1) / kHugePage * kHugePage;
}

/// Large blocks that were given back and wait for the next of their size: the system clears every
/// page that it hands out, which takes longer than many an op on its elements.
class KeptBlocks {
  public:
    /// nullptr when none of this size waits.
    void* take(size_t size) {
        const std::lock_guard guard(mutex_);
        for (size_t i = blocks_.size(); i-- > 0;)
            if (blocks_[i].size == size) {
                void* const memory = blocks_[i].memory;
                blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
                kept_ -= size;
                return memory;
            }
        return nullptr;
    }
    /// Lets the oldest go when there are too many.
    void keep(void* memory, size_t size) {
        std::vector<Block> old;
        {
            const std::lock_guard guard(mutex_);
            blocks_.push_back({memory, size});
            kept_ += size;
            auto end = blocks_.begin();
            for (; kept_ > kMostKept; ++end)
                kept_ -= end->size;
            old.assign(blocks_.begin(), end);
            blocks_.erase(blocks_.begin(), end);
        }
        for (const Block& block : old)
            give_pages_back(block.memory, block.size);
    }

  private:
    struct Block {
        void* memory;
        size_t size;
    };
    std::mutex mutex_;
    std::vector<Block> blocks_;  ///< oldest first
    size_t kept_ = 0;
};

/// Never destroyed: static tensors may outlive any other static object.
KeptBlocks& kept_blocks() {
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a part of the allocator
    static auto* const blocks = new KeptBlocks;
    return *blocks;
}

void* large_block(size_t size) {
    if (void* const kept = kept_blocks().take(size)) return kept;
    void* const memory = take_pages(size);
    // A wish: without huge pages everything works, more slowly.
    madvise(memory, size, MADV_HUGEPAGE);
    return memory;
}

}  // namespace

// Small blocks are aligned by hand: glibc's aligned allocation takes a larger block and gives the
// rest back, so that the hole a block leaves never fits the next one of its size, and memory grows.
MemoryBlock::MemoryBlock(size_t nbytes)
    : large_(nbytes < kLarge ? 0 : rounded(nbytes)),
      start_(large_ != 0 ? large_block(large_) : ::operator new(nbytes + kVectorAlignment)) {}

MemoryBlock::~MemoryBlock() {
    if (large_ != 0)
        kept_blocks().keep(start_, large_);
    else
        ::operator delete(start_);
}

void* take_memory(size_t nbytes) {
    return nbytes < kLarge ? ::operator new(nbytes) : large_block(rounded(nbytes));
}

void give_memory_back(void* memory, size_t nbytes) {
    if (nbytes < kLarge)
        ::operator delete(memory);
    else
        kept_blocks().keep(memory, rounded(nbytes));
}

std::byte* MemoryBlock::data() const {
    auto* const bytes = static_cast<std::byte*>(start_);
    const auto past = reinterpret_cast<uintptr_t>(bytes) % kVectorAlignment;
    return bytes + (kVectorAlignment - past) % kVectorAlignment;
}

MemoryBlock::MemoryBlock(MemoryBlock&& other) noexcept
    : large_(std::exchange(other.large_, 0)), start_(std::exchange(other.start_, nullptr)) {}

MemoryBlock& MemoryBlock::operator=(MemoryBlock&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(large_, other.large_);
    return *this;
}

}  // namespace npuscope
