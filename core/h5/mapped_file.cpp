#include "core/h5/mapped_file.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/read_at.h"

#if defined(__SANITIZE_ADDRESS__)
#define NPUSCOPE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NPUSCOPE_ASAN 1
#endif
#endif
#ifdef NPUSCOPE_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace npuscope::h5 {

namespace {

// A signal handler can take no lock and no argument of ours, so that its table is the one kind of
// state that must be global: atomics of constant size.
constexpr size_t kMostMappings = 256;
struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<uintptr_t> begin{0};
    std::atomic<uintptr_t> end{0};  ///< 0 while nothing is mapped
    std::atomic<bool> cut_short{false};
};
// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables)
constinit std::array<Slot, kMostMappings> slots;
constinit std::atomic<uintptr_t> page_size{4096};
struct sigaction previous_action;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

Slot* slot_of(uintptr_t address) {
    for (Slot& slot : slots) {
        const uintptr_t end = slot.end.load(std::memory_order_acquire);
        if (end != 0 && address < end && address >= slot.begin.load(std::memory_order_acquire))
            return &slot;
    }
    return nullptr;
}

void hand_on(int signal, siginfo_t* facts, void* context) {
    if ((previous_action.sa_flags & SA_SIGINFO) != 0 && previous_action.sa_sigaction != nullptr) {
        previous_action.sa_sigaction(signal, facts, context);
    } else if (previous_action.sa_handler == SIG_DFL || previous_action.sa_handler == SIG_IGN) {
        // The faulting instruction runs again and ends the process as it would have without us.
        struct sigaction plain = {};
        plain.sa_handler = SIG_DFL;
        sigaction(SIGBUS, &plain, nullptr);
        if (facts->si_code <= 0) raise(SIGBUS);
    } else {
        previous_action.sa_handler(signal);
    }
}

void on_bus_error(int signal, siginfo_t* facts, void* context) {
    const auto address = reinterpret_cast<uintptr_t>(facts->si_addr);
    Slot* slot = facts->si_code > 0 ? slot_of(address) : nullptr;
    if (slot != nullptr) {
        const uintptr_t size = page_size.load(std::memory_order_relaxed);
        void* page = static_cast<std::byte*>(facts->si_addr) - (address & (size - 1));
        slot->cut_short.store(true, std::memory_order_release);
        if (mmap(page, size, PROT_READ, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == page)
            return;
    }
    hand_on(signal, facts, context);
}

bool install_handler() {
    page_size.store(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE)));
    if (sigaction(SIGBUS, nullptr, &previous_action) != 0) return false;
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGBUS, &action, nullptr) == 0;
}

/// Lets the address sanitizer see accesses between the end of the file and the end of its last
/// page, or no more.
void guard_tail([[maybe_unused]] const std::byte* data,
                [[maybe_unused]] size_t size,
                [[maybe_unused]] bool on) {
#ifdef NPUSCOPE_ASAN
    const size_t page = page_size.load();
    const size_t tail = (page - size % page) % page;
    if (on)
        ASAN_POISON_MEMORY_REGION(data + size, tail);
    else
        ASAN_UNPOISON_MEMORY_REGION(data + size, tail);
#endif
}

/// The number of a free slot, kMostMappings when there is none.
size_t take_slot() {
    for (size_t i = 0; i < kMostMappings; ++i)
        if (!slots[i].taken.exchange(true)) return i;
    return kMostMappings;
}

}  // namespace

std::shared_ptr<const MappedFile> MappedFile::map(int descriptor) {
    static const bool guarded = install_handler();
    struct stat facts = {};
    if (!guarded || fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) ||
        facts.st_size <= 0 ||
        static_cast<uint64_t>(facts.st_size) > std::numeric_limits<size_t>::max() / 2)
        return nullptr;
    const size_t number = take_slot();
    if (number == kMostMappings) return nullptr;
    const auto size = static_cast<size_t>(facts.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) {
        slots[number].taken.store(false);
        return nullptr;
    }
    guard_tail(static_cast<const std::byte*>(data), size, true);
    Slot& slot = slots[number];
    slot.cut_short.store(false);
    slot.begin.store(reinterpret_cast<uintptr_t>(data));
    slot.end.store(reinterpret_cast<uintptr_t>(data) + size, std::memory_order_release);
    // Shared on purpose: an index and any number of Elements view the same bytes, in any order of
    // their ends.
    return std::shared_ptr<const MappedFile>(
        new MappedFile(static_cast<const std::byte*>(data),
                       size,
                       number,
                       ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)));
}

MappedFile::~MappedFile() {
    Slot& slot = slots[slot_];
    slot.end.store(0);
    slot.begin.store(0);
    guard_tail(data_, size_, false);
    munmap(const_cast<std::byte*>(data_), size_);
    slot.taken.store(false);
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool MappedFile::is_intact() const {
    return !slots[slot_].cut_short.load(std::memory_order_acquire);
}

void MappedFile::copy(const std::byte* from, uint64_t count, std::byte* target) const {
    if (descriptor_ < 0) {
        std::memcpy(target, from, count);
        return;
    }
    const auto offset = static_cast<uint64_t>(from - data_);
    const size_t read = read_at(descriptor_, offset, {target, count}).count;
    if (read == count) return;
    std::memset(target + read, 0, count - read);
    slots[slot_].cut_short.store(true, std::memory_order_release);
}

void MappedFile::release(uint64_t offset, uint64_t count) const {
    if (offset >= size_ || count == 0) return;
    const uint64_t page = page_size.load(std::memory_order_relaxed);
    const uint64_t begin = offset / page * page;
    const uint64_t wanted = count < size_ - offset ? offset + count : size_;
    const uint64_t end = wanted == size_ ? size_ : wanted / page * page;
    if (end > begin) madvise(const_cast<std::byte*>(data_ + begin), end - begin, MADV_DONTNEED);
}

}  // namespace npuscope::h5
