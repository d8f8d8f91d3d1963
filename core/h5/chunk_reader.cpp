#include "core/h5/chunk_reader.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/h5/plausible_size.h"
#include "core/h5/trust.h"

namespace npuscope::h5 {

namespace {

constexpr uint64_t kAlwaysKept = uint64_t{64} << 20;
constexpr uint64_t kMostKeptOfARow = uint64_t{256} << 20;
// A piece that unpacks to more has to be stored in a 64th of it: memory for what a small file
// claims is bounded.
constexpr uint64_t kModestChunk = uint64_t{256} << 20;
constexpr uint64_t kMostUnpacked = 64;

}  // namespace

ChunkReader::ChunkReader(const FileBytes& file,
                         const StoredChunks& stored,
                         std::span<const int64_t> shape,
                         std::string name)
    : file_(file), stored_(stored), name_(std::move(name)) {
    WorkLimit limit(file.size());
    if (stored_.is_chunked) chunks_ = list_chunks(file_, limit, stored_, shape);
    uint64_t bytes = 0;
    for (const StoredChunk& chunk : chunks_)
        bytes += chunk.bytes;
    uint64_t wanted = stored_.element_bytes;
    bool fits = true;
    for (const int64_t dim : shape)
        fits = fits && !__builtin_mul_overflow(wanted, static_cast<uint64_t>(dim), &wanted);
    const uint64_t most = bytes == 0 ? kMostUnwritten : bytes * kMostPacked;
    if (!fits || (wanted > most && !files_are_trusted()))
        throw Error(ErrorKind::kFormat, name_ + " claims more elements than it stores");
    if (!stored_.is_chunked) return;
    merge_axes(shape);
    const ChunkGrid grid = grid_of(stored_, shape);
    chunk_bytes_ = grid.chunk_bytes;
    const uint64_t in_a_row = grid_.empty() || grid_.front() == 0 ? 1 : grid.count / grid_.front();
    uint64_t row = 0;
    if (__builtin_mul_overflow(in_a_row, chunk_bytes_, &row)) row = kMostKeptOfARow;
    most_kept_ = std::clamp(row, kAlwaysKept, kMostKeptOfARow);
}

void ChunkReader::merge_axes(std::span<const int64_t> shape) {
    for (size_t axis = 0; axis < shape.size(); ++axis) {
        dims_.push_back(static_cast<uint64_t>(shape[axis]));
        chunk_.push_back(stored_.chunk[axis]);
    }
    while (dims_.size() > 1 && dims_.back() == chunk_.back()) {
        const uint64_t inner = dims_.back();
        dims_.pop_back();
        chunk_.pop_back();
        dims_.back() *= inner;
        chunk_.back() *= inner;
    }
    for (size_t axis = 0; axis < dims_.size(); ++axis)
        grid_.push_back((dims_[axis] + chunk_[axis] - 1) / chunk_[axis]);
}

const StoredChunk* ChunkReader::find(uint64_t number) const {
    if (number < chunks_.size() && chunks_[number].number == number) return &chunks_[number];
    const auto found = std::lower_bound(
        chunks_.begin(), chunks_.end(), number, [](const StoredChunk& chunk, uint64_t wanted) {
            return chunk.number < wanted;
        });
    return found != chunks_.end() && found->number == number ? &*found : nullptr;
}

std::shared_ptr<ChunkReader::Slot> ChunkReader::slot(uint64_t number) const {
    const std::lock_guard lock(mutex_);
    const auto known = slots_.find(number);
    if (known != slots_.end()) {
        recent_.splice(recent_.begin(), recent_, known->second->place);
        return known->second;
    }
    while (!recent_.empty() && (slots_.size() + 1) * chunk_bytes_ > most_kept_) {
        slots_.erase(recent_.back());
        recent_.pop_back();
    }
    recent_.push_front(number);
    auto fresh = std::make_shared<Slot>();
    fresh->place = recent_.begin();
    slots_.emplace(number, fresh);
    return fresh;
}

void ChunkReader::unpack(const StoredChunk& chunk, std::vector<std::byte>& bytes) const {
    if (chunk_bytes_ > kModestChunk && chunk_bytes_ / kMostUnpacked > chunk.bytes &&
        !files_are_trusted())
        throw Error(ErrorKind::kFormat,
                    name_ + " has a piece that unpacks from " + std::to_string(chunk.bytes) +
                        " to " + std::to_string(chunk_bytes_) +
                        " bytes, which only trusted files may");
    std::vector<std::byte> unpacked(chunk_bytes_);
    Cursor stored = file_.at(chunk.address, chunk.bytes);
    try {
        unfilter(stored_.filters,
                 chunk.filters_left_out,
                 stored_.element_bytes,
                 {stored.position(), chunk.bytes},
                 unpacked);
    } catch (const Damaged& damage) {
        throw Error(ErrorKind::kFormat, "cannot read the dataset " + name_ + ": " + damage.reason);
    }
    bytes = std::move(unpacked);
}

void ChunkReader::fill(std::byte* target, uint64_t count) const {
    const auto& value = stored_.fill.bytes;
    const size_t size = stored_.element_bytes;
    if (std::all_of(value.begin(),
                    value.begin() + static_cast<std::ptrdiff_t>(size),
                    [](auto byte) { return byte == std::byte{0}; })) {
        std::fill_n(target, count * size, std::byte{0});
        return;
    }
    for (uint64_t i = 0; i < count; ++i)
        std::copy_n(value.begin(), size, target + i * size);
}

void ChunkReader::read(uint64_t first, uint64_t count, std::byte* target) const {
    const size_t size = stored_.element_bytes;
    if (!stored_.is_chunked) return fill(target, count);
    uint64_t last_number = ~uint64_t{0};
    std::shared_ptr<Slot> slot;
    while (count > 0) {
        // Where the next run lies: its piece, and its place there.
        uint64_t number = 0;
        uint64_t within = 0;
        uint64_t run = count;
        uint64_t rest = first;
        uint64_t below = 1;
        for (const uint64_t dim : dims_)
            below *= dim;
        for (size_t axis = 0; axis < dims_.size(); ++axis) {
            below /= dims_[axis];
            const uint64_t at = rest / below;
            rest %= below;
            number = number * grid_[axis] + at / chunk_[axis];
            within = within * chunk_[axis] + at % chunk_[axis];
            if (axis + 1 == dims_.size())
                run = std::min({count, dims_[axis] - at, chunk_[axis] - at % chunk_[axis]});
        }
        const StoredChunk* const chunk = find(number);
        if (chunk == nullptr) {
            fill(target, run);
        } else {
            if (number != last_number) {
                slot = this->slot(number);
                const std::lock_guard lock(slot->mutex);
                if (slot->bytes.empty()) unpack(*chunk, slot->bytes);
            }
            last_number = number;
            std::memcpy(target, slot->bytes.data() + within * size, run * size);
        }
        first += run;
        count -= run;
        target += run * size;
    }
}

void ChunkReader::forget() const {
    const std::lock_guard lock(mutex_);
    slots_.clear();
    recent_.clear();
}

}  // namespace npuscope::h5
