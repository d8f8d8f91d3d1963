#include "core/h5/stored_chunks.h"

#include <algorithm>

namespace npuscope::h5 {

namespace {

constexpr int kDeepestChunkTree = 16;

void take_fill(Cursor& in, uint32_t element_bytes, FillValue& fill) {
    const uint32_t size = in.u32();
    if (size == 0) return;
    if (size != element_bytes || size > fill.bytes.size())
        throw Unsupported{"a fill value of another type"};
    std::memcpy(fill.bytes.data(), in.take(size), size);
}

class ChunkTree {
  public:
    ChunkTree(const FileBytes& file,
              WorkLimit& limit,
              const StoredChunks& stored,
              std::span<const int64_t> shape)
        : file_(file), limit_(limit), stored_(stored), shape_(shape) {}

    std::vector<StoredChunk> list() {
        walk(stored_.tree, -1);
        std::sort(found_.begin(), found_.end(), [](const StoredChunk& a, const StoredChunk& b) {
            return a.number < b.number;
        });
        const auto same =
            std::adjacent_find(found_.begin(), found_.end(), [](const auto& a, const auto& b) {
                return a.number == b.number;
            });
        if (same != found_.end()) throw Damaged{"two of its pieces have one place"};
        return std::move(found_);
    }

  private:
    void walk(uint64_t address, int level) {
        limit_.require(1);
        Cursor in = file_.at(address);
        in.expect("TREE");
        if (in.u8() != 1) throw Damaged{"its list of pieces is of another kind"};
        const int here = in.u8();
        if (level >= 0 ? here != level : here > kDeepestChunkTree)
            throw Damaged{"its list of pieces is no tree"};
        const unsigned children = in.u16();
        in.skip(8 + 8);  // the siblings
        for (unsigned i = 0; i < children; ++i) {
            StoredChunk chunk;
            chunk.bytes = in.u32();
            chunk.filters_left_out = in.u32();
            const bool is_inside = take_place(in, chunk.number);
            chunk.address = in.u64();
            limit_.require(1);
            if (here > 0)
                walk(chunk.address, here - 1);
            else if (is_inside)
                take(chunk);
        }
    }

    /// False for a piece that the dataset no longer has.
    bool take_place(Cursor& in, uint64_t& number) {
        bool is_inside = true;
        number = 0;
        for (size_t axis = 0; axis < shape_.size(); ++axis) {
            const uint64_t offset = in.u64();
            const uint64_t length = stored_.chunk[axis];
            const auto dim = static_cast<uint64_t>(shape_[axis]);
            is_inside = is_inside && offset < dim && offset % length == 0;
            number = number * ((dim + length - 1) / length) + offset / length;
        }
        in.skip(8);  // within an element
        return is_inside;
    }

    void take(const StoredChunk& chunk) {
        static_cast<void>(file_.at(chunk.address, chunk.bytes));
        bytes_ += chunk.bytes;
        if (bytes_ > file_.size()) throw Damaged{"its pieces take more than the file"};
        found_.push_back(chunk);
    }

    const FileBytes& file_;
    WorkLimit& limit_;
    const StoredChunks& stored_;
    std::span<const int64_t> shape_;
    std::vector<StoredChunk> found_;
    uint64_t bytes_ = 0;
};

}  // namespace

Filters read_filters(Cursor in) {
    const uint8_t version = in.u8();
    const uint8_t count = in.u8();
    if (version != 1 && version != 2) throw Unsupported{"unknown filters"};
    if (version == 1) in.skip(6);
    if (count > Filters::kMost) throw Unsupported{"many filters"};
    Filters found;
    int deflates = 0;
    for (; found.count < count; ++found.count) {
        const uint16_t number = in.u16();
        constexpr uint16_t kFirstOfOthers = 256;  // only their filters have names in version 2
        const bool has_name = version == 1 || number >= kFirstOfOthers;
        const uint16_t name_bytes = has_name ? in.u16() : 0;
        in.skip(2);  // whether it may be left out
        const uint16_t values = in.u16();
        in.skip(version == 1 ? padded(name_bytes) : name_bytes);
        in.skip(uint64_t{4} * values);
        if (version == 1 && values % 2 == 1) in.skip(4);
        Filter& filter = found.list[found.count];
        if (number == 1)
            filter = Filter::kDeflate;
        else if (number == 2)
            filter = Filter::kShuffle;
        else if (number == 3)
            filter = Filter::kFletcher32;
        else
            throw Unsupported{"a filter of another library"};
        deflates += number == 1 ? 1 : 0;
        // Shuffled are elements, not what became of them.
        if (deflates > 1 || (number == 2 && found.count > 0)) throw Unsupported{"odd filters"};
    }
    return found;
}

FillValue read_fill_value(Cursor in, uint32_t element_bytes) {
    FillValue fill;
    const uint8_t version = in.u8();
    if (version == 0 || version > 3) throw Unsupported{"an unknown fill value"};
    bool is_defined = true;
    if (version == 3) {
        constexpr uint8_t kHasValue = 0x20;
        is_defined = (in.u8() & kHasValue) != 0;
    } else {
        in.skip(2);
        is_defined = in.u8() != 0 || version == 1;
    }
    if (is_defined) take_fill(in, element_bytes, fill);
    return fill;
}

FillValue read_old_fill_value(Cursor in, uint32_t element_bytes) {
    FillValue fill;
    take_fill(in, element_bytes, fill);
    return fill;
}

ChunkGrid grid_of(const StoredChunks& stored, std::span<const int64_t> shape) {
    ChunkGrid grid{stored.element_bytes, 1};
    bool fits = true;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        const uint64_t length = stored.chunk[axis];
        if (length == 0) throw Damaged{"its pieces are empty"};
        const auto dim = static_cast<uint64_t>(shape[axis]);
        const uint64_t pieces = dim / length + (dim % length != 0 ? 1 : 0);
        fits = fits && !__builtin_mul_overflow(grid.chunk_bytes, length, &grid.chunk_bytes) &&
               !__builtin_mul_overflow(grid.count, pieces, &grid.count);
    }
    constexpr uint64_t kMostBytes = uint64_t{1} << 32;
    if (!fits || grid.chunk_bytes > kMostBytes) throw Damaged{"its pieces are too large"};
    return grid;
}

std::vector<StoredChunk> list_chunks(const FileBytes& file,
                                     WorkLimit& limit,
                                     const StoredChunks& stored,
                                     std::span<const int64_t> shape) {
    static_cast<void>(grid_of(stored, shape));
    if (stored.tree == kUndefinedAddress) return {};
    return ChunkTree(file, limit, stored, shape).list();
}

}  // namespace npuscope::h5
