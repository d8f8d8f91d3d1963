// The messages of one object header. Included by core/h5/*.cpp only.
#pragma once

#include <vector>

#include "core/h5/checksum.h"
#include "core/h5/format_cursor.h"

namespace npuscope::h5 {

/// The kinds of messages that are read or written.
enum class MessageType : uint16_t {
    kNil = 0x0,
    kDataspace = 0x1,
    kLinkInfo = 0x2,
    kDatatype = 0x3,
    kOldFillValue = 0x4,
    kFillValue = 0x5,
    kLink = 0x6,
    kExternalFiles = 0x7,
    kLayout = 0x8,
    kGroupInfo = 0xa,
    kFilters = 0xb,
    kAttribute = 0xc,
    kComment = 0xd,
    kOldTime = 0xe,
    kContinuation = 0x10,
    kSymbolTable = 0x11,
    kTime = 0x12,
    kAttributeInfo = 0x15,
    kReferenceCount = 0x16,
};

struct Message {
    static constexpr uint8_t kShared = 2;          ///< its content lies elsewhere
    static constexpr uint8_t kMustBeKnown = 0x80;  ///< whoever does not know it must stop

    MessageType type = MessageType::kNil;
    uint8_t flags = 0;
    Cursor content;

    [[nodiscard]] bool is_shared() const { return (flags & kShared) != 0; }
};

/// Reads headers of versions 1 and 2 with their continuation blocks.
class ObjectHeader {
  public:
    ObjectHeader(const FileBytes& file, WorkLimit& limit) : file_(file), limit_(limit) {}

    /// Calls visit(const Message&) for each message in file order; continuations are followed, not
    /// shown. Throws Damaged or Unsupported.
    template <class Visit>
    void for_each_message(uint64_t address, Visit&& visit) {
        Cursor in = file_.at(address);
        chunks_.clear();
        version_ = 1;
        if (in.left() > 0 && *in.position() == std::byte{'O'})
            open_new(in);
        else
            open_old(in, address);
        for (size_t i = 0; i < chunks_.size(); ++i) {
            Cursor chunk = version_ == 1 || i == 0 ? chunks_[i].messages : open_continuation(i);
            read_chunk(chunk, visit);
        }
    }

  private:
    struct Chunk {
        uint64_t address = 0;
        Cursor messages;
    };

    template <class Visit>
    void read_chunk(Cursor& chunk, Visit& visit) {
        const size_t prefix = version_ == 1 ? 8 : tracks_order_ ? 6 : 4;
        while (chunk.left() >= prefix) {
            Message message;
            size_t size = 0;
            if (version_ == 1) {
                message.type = static_cast<MessageType>(chunk.u16());
                size = chunk.u16();
                message.flags = chunk.u8();
                chunk.skip(3);
            } else {
                message.type = static_cast<MessageType>(chunk.u8());
                size = chunk.u16();
                message.flags = chunk.u8();
                if (tracks_order_) chunk.skip(2);
            }
            message.content = chunk.part(size);
            limit_.require(1);
            if (message.type == MessageType::kContinuation)
                add_continuation(message.content);
            else if (message.type != MessageType::kNil)
                visit(message);
        }
    }

    void open_old(Cursor& in, uint64_t address);
    void open_new(Cursor& in);
    void add_continuation(Cursor content);
    Cursor open_continuation(size_t number);

    const FileBytes& file_;
    WorkLimit& limit_;
    std::vector<Chunk> chunks_;
    int version_ = 1;
    bool tracks_order_ = false;
};

}  // namespace npuscope::h5
