#include "core/h5/object_header.h"

#include <algorithm>

namespace npuscope::h5 {

namespace {

constexpr size_t kMostChunks = 4096;
constexpr size_t kChecksumSize = 4;

/// The bytes from `begin` to the cursor, which stands before their checksum.
void require_checksum(const std::byte* begin, Cursor& in) {
    const uint32_t expected = checksum({begin, in.position()});
    if (in.u32() != expected) throw Damaged{"its header's checksum is wrong"};
}

}  // namespace

void ObjectHeader::open_old(Cursor& in, uint64_t address) {
    if (in.u8() != 1) throw Damaged{"there is no object header"};
    in.skip(1 + 2 + 4);  // reserved, number of messages, references
    const uint32_t size = in.u32();
    in.skip(4);  // to a multiple of 8
    limit_.require(1);
    chunks_.push_back({address, in.part(size)});
}

void ObjectHeader::open_new(Cursor& in) {
    constexpr uint8_t kTracksOrder = 4;
    constexpr uint8_t kHasAttributeLimits = 16;
    constexpr uint8_t kHasTimes = 32;
    version_ = 2;
    const std::byte* begin = in.position();
    in.expect("OHDR");
    if (in.u8() != 2) throw Damaged{"there is no object header"};
    const uint8_t flags = in.u8();
    tracks_order_ = (flags & kTracksOrder) != 0;
    if ((flags & kHasTimes) != 0) in.skip(16);
    if ((flags & kHasAttributeLimits) != 0) in.skip(4);
    const uint64_t size = in.sized(1U << (flags & 3U));
    const Cursor messages = in.part(size);
    limit_.require(1 + size / 64);
    require_checksum(begin, in);
    chunks_.push_back({kUndefinedAddress, messages});
}

void ObjectHeader::add_continuation(Cursor content) {
    const uint64_t address = content.u64();
    const uint64_t length = content.u64();
    const Cursor bytes = file_.at(address, length);
    limit_.require(chunks_.size());
    const bool known = std::any_of(chunks_.begin(), chunks_.end(), [&](const Chunk& chunk) {
        return chunk.address == address;
    });
    if (known || chunks_.size() == kMostChunks) throw Damaged{"its header continues in itself"};
    chunks_.push_back({address, bytes});
}

Cursor ObjectHeader::open_continuation(size_t number) {
    Cursor in = chunks_[number].messages;
    const std::byte* begin = in.position();
    in.expect("OCHK");
    if (in.left() < kChecksumSize) throw Damaged{"its header's continuation is too short"};
    limit_.require(in.left() / 64);
    const Cursor messages = in.part(in.left() - kChecksumSize);
    require_checksum(begin, in);
    return messages;
}

}  // namespace npuscope::h5
