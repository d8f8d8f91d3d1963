#include "core/tensor/ignored_elements.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/base/error.h"

namespace npuscope {

namespace {

void require_size(int64_t numel, const IgnoredElements& ignored) {
    if (numel != ignored.numel())
        throw Error(ErrorKind::kInternal, "ignored elements of a tensor of another size");
}

/// The places of a box, one range a run of neighbours.
void take_box(const std::vector<Stretch>& box,
              const Shape& shape,
              std::vector<PlaceRange>& ranges) {
    // Dimensions from here on are whole, so that their places are neighbours.
    size_t rank = box.size();
    int64_t run = 1;
    while (rank > 0 && box[rank - 1].count == shape[rank - 1])
        run *= shape[--rank];
    bool is_run = false;
    int64_t stride = run;
    if (rank > 0 && box[rank - 1].step == 1) {
        --rank;
        is_run = true;
        stride *= shape[rank];
    }
    const int64_t length = is_run ? box[rank].count * run : run;
    const int64_t offset = is_run ? box[rank].first * run : 0;
    std::vector<int64_t> strides(rank);
    for (size_t i = rank; i-- > 0; stride *= shape[i])
        strides[i] = stride;
    std::vector<int64_t> at(rank);
    while (true) {
        int64_t place = offset;
        for (size_t i = 0; i < rank; ++i)
            place += (box[i].first + at[i] * box[i].step) * strides[i];
        ranges.push_back({place, length});
        size_t axis = rank;
        while (axis > 0 && ++at[axis - 1] == box[axis - 1].count)
            at[--axis] = 0;
        if (axis == 0) return;
    }
}

}  // namespace

bool IgnoredElements::add(const Slice& slice) {
    auto box = slice.in(shape_);
    if (!box) return false;
    boxes_.push_back(std::move(*box));
    return true;
}

bool IgnoredElements::fits(const Shape& shape) const {
    const auto without_ones = [](Shape all) {
        std::erase(all, 1);
        return all;
    };
    return without_ones(shape) == without_ones(shape_);
}

std::vector<PlaceRange> IgnoredElements::ranges() const {
    std::vector<PlaceRange> all;
    for (const std::vector<Stretch>& box : boxes_)
        take_box(box, shape_, all);
    std::ranges::sort(all, {}, &PlaceRange::first);
    std::vector<PlaceRange> merged;
    for (const PlaceRange& range : all) {
        if (merged.empty() || range.first > merged.back().first + merged.back().count) {
            merged.push_back(range);
            continue;
        }
        PlaceRange& last = merged.back();
        last.count = std::max(last.count, range.first + range.count - last.first);
    }
    return merged;
}

std::vector<PlaceRange> IgnoredElements::kept_ranges() const {
    std::vector<PlaceRange> kept;
    int64_t next = 0;
    for (const PlaceRange& range : ranges()) {
        if (range.first > next) kept.push_back({next, range.first - next});
        next = range.first + range.count;
    }
    if (next < numel()) kept.push_back({next, numel() - next});
    return kept;
}

int64_t IgnoredElements::count() const {
    const std::vector<PlaceRange> all = ranges();
    return std::accumulate(
        all.begin(), all.end(), int64_t{0}, [](int64_t sum, const PlaceRange& each) {
            return sum + each.count;
        });
}

Tensor IgnoredElements::rest_of(const Tensor& tensor) const {
    const TensorElements whole(tensor);
    return KeptElements(whole, *this).whole();
}

KeptElements::KeptElements(const ElementSource& whole, const IgnoredElements& ignored)
    : whole_(whole), ranges_(ignored.kept_ranges()) {
    require_size(whole.numel(), ignored);
    int64_t count = 0;
    for (const PlaceRange& range : ranges_) {
        starts_.push_back(count);
        count += range.count;
    }
    shape_ = {count};
}

size_t KeptElements::index_of(int64_t place) const {
    return static_cast<size_t>(std::ranges::upper_bound(starts_, place) - starts_.begin()) - 1;
}

const std::byte* KeptElements::range(int64_t first,
                                     int64_t count,
                                     std::vector<std::byte>& buffer) const {
    const size_t size = size_of(dtype());
    buffer.resize(static_cast<size_t>(count) * size);
    std::vector<std::byte> piece;
    std::byte* to = buffer.data();
    for (size_t i = count > 0 ? index_of(first) : 0; count > 0; ++i) {
        const int64_t skipped = first - starts_[i];
        const int64_t taken = std::min(count, ranges_[i].count - skipped);
        const size_t bytes = static_cast<size_t>(taken) * size;
        std::memcpy(to, whole_.range(ranges_[i].first + skipped, taken, piece), bytes);
        to += bytes;
        first += taken;
        count -= taken;
    }
    return buffer.data();
}

void KeptElements::release(int64_t first, int64_t count) const {
    if (count == 0) return;
    const int64_t begin = place_in_whole(first);
    whole_.release(begin, place_in_whole(first + count - 1) - begin + 1);
}

int64_t KeptElements::place_in_whole(int64_t place) const {
    if (place < 0) return place;
    const size_t index = index_of(place);
    return ranges_[index].first + place - starts_[index];
}

}  // namespace npuscope
