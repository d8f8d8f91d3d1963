#include "core/npz/stored_entry.h"

#include <algorithm>
#include <cstring>

namespace npuscope::npz {

namespace {

constexpr uint64_t kEndSignature = 0x06054b50;
constexpr uint64_t kEnd64Signature = 0x06064b50;
constexpr uint64_t kLocator64Signature = 0x07064b50;
constexpr uint64_t kDirectorySignature = 0x02014b50;
constexpr uint64_t kLocalSignature = 0x04034b50;
constexpr uint64_t kEndSize = 22;
constexpr uint64_t kLocatorSize = 20;
constexpr uint64_t kDirectorySize = 46;
constexpr uint64_t kLocalSize = 30;
constexpr uint64_t kMostComment = 0xffff;
constexpr uint64_t kLarge = 0xffffffff;

/// Little-endian numbers at places that may lie outside.
class Bytes {
  public:
    explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
    [[nodiscard]] uint64_t size() const { return bytes_.size(); }
    [[nodiscard]] bool holds(uint64_t at, uint64_t count) const {
        return at <= size() && count <= size() - at;
    }
    /// 0 outside.
    [[nodiscard]] uint64_t number(uint64_t at, uint64_t width) const {
        uint64_t value = 0;
        if (holds(at, width))
            for (uint64_t i = width; i-- > 0;)
                value = value << 8 | std::to_integer<uint64_t>(bytes_[at + i]);
        return value;
    }
    [[nodiscard]] std::string_view text(uint64_t at, uint64_t count) const {
        if (!holds(at, count)) return {};
        return {reinterpret_cast<const char*>(bytes_.data()) + at, count};
    }

  private:
    std::span<const std::byte> bytes_;
};

struct Directory {
    uint64_t offset = 0;
    uint64_t entries = 0;
};

std::optional<Directory> directory_of(const Bytes& file) {
    if (file.size() < kEndSize) return std::nullopt;
    const uint64_t last = file.size() - kEndSize;
    const uint64_t first = last - std::min(last, kMostComment);
    for (uint64_t at = last + 1; at-- > first;) {
        if (file.number(at, 4) != kEndSignature) continue;
        const uint64_t locator = at - kLocatorSize;
        if (at >= kLocatorSize && file.number(locator, 4) == kLocator64Signature) {
            const uint64_t end = file.number(locator + 8, 8);
            if (file.number(end, 4) != kEnd64Signature) return std::nullopt;
            return Directory{file.number(end + 48, 8), file.number(end + 32, 8)};
        }
        return Directory{file.number(at + 16, 4), file.number(at + 10, 2)};
    }
    return std::nullopt;
}

struct Entry {
    uint64_t size = 0;
    uint64_t packed = 0;
    uint64_t offset = 0;  ///< of the local header
};

/// From the directory's record at `at`, whose large numbers stand in an extra field.
Entry entry_at(const Bytes& file, uint64_t at) {
    Entry entry{file.number(at + 24, 4), file.number(at + 20, 4), file.number(at + 42, 4)};
    uint64_t extra = at + kDirectorySize + file.number(at + 28, 2);
    const uint64_t end = extra + file.number(at + 30, 2);
    while (extra + 4 <= end) {
        const uint64_t kind = file.number(extra, 2);
        uint64_t field = extra + 4;
        extra = field + file.number(extra + 2, 2);
        if (kind != 1) continue;
        for (uint64_t* large : {&entry.size, &entry.packed, &entry.offset})
            if (*large == kLarge) {
                *large = file.number(field, 8);
                field += 8;
            }
    }
    return entry;
}

}  // namespace

std::optional<std::span<const std::byte>> stored_entry(std::span<const std::byte> bytes,
                                                       std::string_view name) {
    const Bytes file(bytes);
    const auto directory = directory_of(file);
    if (!directory) return std::nullopt;
    uint64_t at = directory->offset;
    for (uint64_t i = 0; i < directory->entries; ++i) {
        if (file.number(at, 4) != kDirectorySignature) return std::nullopt;
        const uint64_t length = file.number(at + 28, 2);
        if (file.text(at + kDirectorySize, length) != name) {
            at += kDirectorySize + length + file.number(at + 30, 2) + file.number(at + 32, 2);
            continue;
        }
        const Entry entry = entry_at(file, at);
        const bool is_stored = file.number(at + 10, 2) == 0 && entry.size == entry.packed;
        if (!is_stored || file.number(entry.offset, 4) != kLocalSignature) return std::nullopt;
        const uint64_t data = entry.offset + kLocalSize + file.number(entry.offset + 26, 2) +
                              file.number(entry.offset + 28, 2);
        if (!file.holds(data, entry.size)) return std::nullopt;
        return bytes.subspan(data, entry.size);
    }
    return std::nullopt;
}

}  // namespace npuscope::npz
