#include "core/h5/chunk_tree.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

#include "core/base/error.h"
#include "core/h5/byte_builder.h"

namespace npuscope::h5 {

namespace {

constexpr uint64_t kPieceBytes = uint64_t{1} << 20;
constexpr size_t kNodeChildren = 64;  // twice the rank of a superblock that names none
// Reading pieces costs more than reading consecutive elements; a tenth must be gained for it.
constexpr double kWorthwhile = 0.9;

struct Piece {
    uint64_t address = 0;
    uint32_t bytes = 0;
    uint32_t filters_left_out = 0;
    std::vector<uint64_t> offset;
};

/// A key and what it leads to, of the level above.
struct Branch {
    const Piece* first = nullptr;
    uint64_t address = 0;
};

/// Full trailing dimensions, ones before, so that a piece is a slab of consecutive elements.
std::vector<uint64_t> piece_shape(std::span<const int64_t> shape, uint64_t element_bytes) {
    std::vector<uint64_t> piece(shape.size(), 1);
    uint64_t bytes = element_bytes;
    for (size_t axis = shape.size(); axis-- > 0;) {
        const auto dim = static_cast<uint64_t>(shape[axis]);
        piece[axis] = std::clamp<uint64_t>(kPieceBytes / bytes, 1, dim);
        if (piece[axis] < dim) break;
        bytes *= dim;
    }
    return piece;
}

class Compressor {
  public:
    Compressor(uint64_t element_bytes, uint64_t piece_bytes, int level)
        : element_bytes_(element_bytes),
          level_(level),
          shuffled_(piece_bytes),
          deflated_(::compressBound(piece_bytes)) {}

    /// The filtered bytes; what the piece lacks is taken as zeros.
    std::span<const std::byte> filter(std::span<const std::byte> elements, uint32_t& left_out) {
        shuffle(elements);
        uLongf size = deflated_.size();
        const int code = ::compress2(reinterpret_cast<Bytef*>(deflated_.data()),
                                     &size,
                                     reinterpret_cast<const Bytef*>(shuffled_.data()),
                                     shuffled_.size(),
                                     level_);
        if (code != Z_OK) throw Error(ErrorKind::kInternal, "zlib cannot compress a tensor");
        constexpr uint32_t kDeflate = 2;  // the second filter's bit
        left_out = size < shuffled_.size() ? 0 : kDeflate;
        if (left_out != 0) return shuffled_;
        return {deflated_.data(), size};
    }
    [[nodiscard]] size_t piece_bytes() const { return shuffled_.size(); }

  private:
    /// First all first bytes of the elements, then all second ones, …
    void shuffle(std::span<const std::byte> elements) {
        const size_t count = shuffled_.size() / element_bytes_;
        const size_t given = elements.size() / element_bytes_;
        for (size_t byte = 0; byte < element_bytes_; ++byte) {
            std::byte* out = shuffled_.data() + byte * count;
            const std::byte* in = elements.data() + byte;
            for (size_t i = 0; i < given; ++i)
                out[i] = in[i * element_bytes_];
            std::fill(out + given, out + count, std::byte{0});
        }
    }

    uint64_t element_bytes_;
    int level_;
    std::vector<std::byte> shuffled_;
    std::vector<std::byte> deflated_;
};

void put_key(ByteBuilder& out, const Piece& piece) {
    out.u32(piece.bytes);
    out.u32(piece.filters_left_out);
    for (const uint64_t offset : piece.offset)
        out.u64(offset);
    out.u64(0);  // within an element
}

/// One level of the tree over `below`, whose keys are all before `end`.
std::vector<Branch> write_level(AppendFile& file,
                                const std::vector<Branch>& below,
                                int level,
                                const Piece& end) {
    const uint64_t key_bytes = 8 + 8 * (end.offset.size() + 1);
    const uint64_t node_bytes = 24 + kNodeChildren * 8 + (kNodeChildren + 1) * key_bytes;
    const size_t nodes = (below.size() + kNodeChildren - 1) / kNodeChildren;
    std::vector<Branch> written;
    ByteBuilder out;
    for (size_t node = 0; node < nodes; ++node) {
        const size_t first = node * kNodeChildren;
        const size_t behind = std::min(below.size(), first + kNodeChildren);
        const uint64_t here = padded(file.end());
        out.clear();
        out.text("TREE");
        out.u8(1);
        out.u8(static_cast<uint8_t>(level));
        out.u16(static_cast<uint16_t>(behind - first));
        out.u64(node > 0 ? here - node_bytes : kUndefinedAddress);
        out.u64(node + 1 < nodes ? here + node_bytes : kUndefinedAddress);
        for (size_t i = first; i < behind; ++i) {
            put_key(out, *below[i].first);
            out.u64(below[i].address);
        }
        put_key(out, behind < below.size() ? *below[behind].first : end);
        out.zeros(node_bytes - out.size());
        written.push_back({below[first].first, file.append(out.bytes(), 8)});
    }
    return written;
}

uint64_t write_tree(AppendFile& file, const std::vector<Piece>& pieces, const Piece& end) {
    std::vector<Branch> branches;
    branches.reserve(pieces.size());
    for (const Piece& piece : pieces)
        branches.push_back({&piece, piece.address});
    int level = 0;
    do
        branches = write_level(file, branches, level++, end);
    while (branches.size() > 1);
    return branches.front().address;
}

/// The next piece's place in row-major order.
void advance(std::vector<uint64_t>& offset,
             std::span<const int64_t> shape,
             const std::vector<uint64_t>& piece) {
    for (size_t axis = shape.size(); axis-- > 0;) {
        offset[axis] += piece[axis];
        if (offset[axis] < static_cast<uint64_t>(shape[axis]) || axis == 0) return;
        offset[axis] = 0;
    }
}

}  // namespace

std::optional<Chunked> write_chunked(AppendFile& file, const TensorView& elements, int level) {
    const uint64_t element_bytes = size_of(elements.dtype);
    Chunked made{0, piece_shape(elements.shape, element_bytes)};
    uint64_t piece_bytes = element_bytes;
    for (const uint64_t dim : made.chunk)
        piece_bytes *= dim;
    Compressor compressor(element_bytes, piece_bytes, level);
    const std::span<const std::byte> all(elements.data, elements.nbytes());
    std::vector<Piece> pieces;
    std::vector<uint64_t> offset(made.chunk.size(), 0);
    uint64_t row_bytes = element_bytes;  // of one step along the axis that is cut
    size_t cut = made.chunk.size() - 1;
    while (cut > 0 && made.chunk[cut] == static_cast<uint64_t>(elements.shape[cut]))
        row_bytes *= made.chunk[cut--];
    for (size_t done = 0; done < all.size();) {
        const uint64_t rows =
            std::min(made.chunk[cut], static_cast<uint64_t>(elements.shape[cut]) - offset[cut]);
        const size_t bytes = rows * row_bytes;
        Piece piece;
        piece.offset = offset;
        const auto filtered = compressor.filter(all.subspan(done, bytes), piece.filters_left_out);
        if (done == 0 && static_cast<double>(filtered.size()) >
                             kWorthwhile * static_cast<double>(compressor.piece_bytes()))
            return std::nullopt;
        piece.bytes = static_cast<uint32_t>(filtered.size());
        piece.address = file.append(filtered, 8);
        pieces.push_back(std::move(piece));
        done += bytes;
        advance(offset, elements.shape, made.chunk);
    }
    Piece end = pieces.back();
    end.bytes = end.filters_left_out = 0;
    for (size_t axis = 0; axis < end.offset.size(); ++axis)
        end.offset[axis] += made.chunk[axis];
    made.tree = write_tree(file, pieces, end);
    return made;
}

}  // namespace npuscope::h5
