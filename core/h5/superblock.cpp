#include "core/h5/superblock.h"

#include "core/h5/checksum.h"

namespace npuscope::h5 {

namespace {

constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
constexpr uint64_t kFirstUserBlock = 512;
constexpr unsigned kAddressSize = 8;
constexpr uint8_t kFirstWithUseMarks = 3;

/// The superblock lies at 0, 512, 1024, 2048, …
uint64_t find_signature(std::span<const std::byte> bytes) {
    for (uint64_t at = 0; at <= bytes.size() && bytes.size() - at >= kSignature.size();
         at = at == 0 ? kFirstUserBlock : 2 * at)
        if (std::memcmp(bytes.data() + at, kSignature.data(), kSignature.size()) == 0) return at;
    throw Damaged{"it has no HDF5 signature"};
}

void require_sizes(unsigned addresses, unsigned lengths) {
    if (addresses != kAddressSize || lengths != kAddressSize)
        throw Unsupported{"addresses of another size than 8 bytes"};
}

void read_old(Cursor& in, uint8_t version, Superblock& found) {
    in.skip(4);  // versions of free space, root entry, one reserved, shared messages
    const unsigned addresses = in.u8();
    const unsigned lengths = in.u8();
    require_sizes(addresses, lengths);
    in.skip(1 + 2 + 2 + 4);  // reserved, the nodes' sizes, flags
    if (version == 1) in.skip(4);
    in.skip(8 + 8);  // base address, free space
    found.end = in.u64();
    if (in.u64() != kUndefinedAddress) throw Unsupported{"a driver of its own"};
    in.skip(8);  // the root's name
    found.root = in.u64();
}

void read_new(Cursor& in, uint8_t version, const std::byte* begin, Superblock& found) {
    const unsigned addresses = in.u8();
    const unsigned lengths = in.u8();
    require_sizes(addresses, lengths);
    found.in_use = in.u8() != 0 && version >= kFirstWithUseMarks;
    in.skip(8);  // base address
    found.extension = in.u64();
    found.end = in.u64();
    found.root = in.u64();
    const std::span checked(begin, in.position());
    if (!has_checksum(checked, in.u32())) throw Damaged{"the superblock's checksum is wrong"};
}

}  // namespace

Superblock read_superblock(std::span<const std::byte> bytes) {
    const uint64_t base = find_signature(bytes);
    Superblock found;
    found.file = FileBytes(bytes, base);
    Cursor in = found.file.at(0);
    const std::byte* begin = in.position();
    in.skip(kSignature.size());
    const uint8_t version = in.u8();
    if (version <= 1)
        read_old(in, version, found);
    else if (version <= 3)
        read_new(in, version, begin, found);
    else
        throw Unsupported{"a newer superblock"};
    return found;
}

}  // namespace npuscope::h5
