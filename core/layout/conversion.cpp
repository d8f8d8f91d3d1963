#include "core/layout/conversion.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/layout/strided_copy.h"

namespace npuscope::layout {

namespace {

struct Place {
    int64_t weight;
    int64_t extent;
    int64_t stride;  ///< in elements
};

/// Digits of one axis in one layout, with the strides that their place gives them.
std::vector<Place> places_of(const StoredLayout& layout, size_t axis) {
    std::vector<Place> places;
    int64_t stride = 1;
    for (size_t i = layout.digits.size(); i-- > 0;) {
        const Digit& digit = layout.digits[i];
        if (digit.axis == axis) places.push_back({digit.weight, digit.extent, stride});
        stride *= digit.extent;
    }
    std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
        return a.weight < b.weight;
    });
    return places;
}

/// Elements of the digits alone, without the groups' blocks.
int64_t block_numel(const StoredLayout& layout) {
    int64_t count = 1;
    for (const Digit& digit : layout.digits)
        count *= digit.extent;
    return count;
}

int64_t offset_of(const std::vector<Place>& places, int64_t index) {
    int64_t offset = 0;
    for (size_t i = 0; i < places.size(); ++i) {
        int64_t digit = index / places[i].weight;
        if (i + 1 < places.size()) digit %= places[i].extent;
        offset += digit * places[i].stride;
    }
    return offset;
}

/// Steps from `index` until a higher digit changes.
int64_t run_length(const std::vector<Place>& places, int64_t index) {
    if (places.size() < 2) return std::numeric_limits<int64_t>::max();
    const int64_t block = places.front().extent;
    return block - index % block;
}

/// Part of one axis on which both offsets are linear: `outer` runs of `inner` elements each.
struct Segment {
    int64_t source = 0;
    int64_t target = 0;
    Loop outer;
    Loop inner;
};

/// The indexes of one axis that are copied: [begin, end), shifted in the source and the target.
struct Shifted {
    Window window;
    int64_t source_shift = 0;
    int64_t target_shift = 0;
};

std::vector<Segment> segments_of(const std::vector<Place>& source,
                                 const std::vector<Place>& target,
                                 const Shifted& part) {
    std::vector<Segment> segments;
    for (int64_t at = part.window.begin; at < part.window.end;) {
        const int64_t from = at + part.source_shift;
        const int64_t to = at + part.target_shift;
        const int64_t length =
            std::min({part.window.end - at, run_length(source, from), run_length(target, to)});
        const int64_t from_offset = offset_of(source, from);
        const int64_t to_offset = offset_of(target, to);
        at += length;
        if (!segments.empty()) {
            Segment& last = segments.back();
            Loop& outer = last.outer;
            const bool is_second = outer.extent == 1;
            const int64_t source_jump =
                from_offset - last.source - (outer.extent - 1) * outer.source_stride;
            const int64_t target_jump =
                to_offset - last.target - (outer.extent - 1) * outer.target_stride;
            if (last.inner.extent == length &&
                (is_second ||
                 (source_jump == outer.source_stride && target_jump == outer.target_stride))) {
                outer = {.extent = outer.extent + 1,
                         .source_stride = source_jump,
                         .target_stride = target_jump};
                continue;
            }
        }
        segments.push_back(
            {.source = from_offset,
             .target = to_offset,
             .outer = {},
             .inner = {.extent = length,
                       .source_stride = source.empty() ? 0 : source.front().stride,
                       .target_stride = target.empty() ? 0 : target.front().stride}});
    }
    return segments;
}

/// Copies the product of one segment an axis.
class Copier {
  public:
    Copier(size_t element_size, const std::byte* source, std::byte* target)
        : element_size_(element_size), source_(source), target_(target) {}

    void copy(const std::vector<std::vector<Segment>>& axes,
              int64_t source_offset,
              int64_t target_offset) {
        if (loops_.size() == 2 * axes.size()) {
            const auto size = static_cast<int64_t>(element_size_);
            strided_copy(loops_,
                         element_size_,
                         source_ + source_offset * size,
                         target_ + target_offset * size);
            return;
        }
        for (const Segment& segment : axes[loops_.size() / 2]) {
            loops_.push_back(segment.outer);
            loops_.push_back(segment.inner);
            copy(axes, source_offset + segment.source, target_offset + segment.target);
            loops_.resize(loops_.size() - 2);
        }
    }

  private:
    size_t element_size_;
    const std::byte* source_;
    std::byte* target_;
    std::vector<Loop> loops_;
};

void copy_part(const StoredLayout& source,
               const StoredLayout& target,
               const std::vector<Shifted>& parts,
               Copier& copier,
               std::pair<int64_t, int64_t> offsets) {
    std::vector<std::vector<Segment>> axes;
    for (size_t axis = 0; axis < parts.size(); ++axis)
        axes.push_back(segments_of(places_of(source, axis), places_of(target, axis), parts[axis]));
    copier.copy(axes, offsets.first, offsets.second);
}

/// Group by group: each is a small weight of its own, at another place in either layout.
void copy_groups(const StoredLayout& source,
                 const StoredLayout& target,
                 const std::vector<Window>& windows,
                 Copier& copier) {
    const int64_t groups = std::max(source.groups, target.groups);
    const int64_t own = windows[0].end / groups;
    for (int64_t group = 0; group < groups; ++group) {
        std::vector<Shifted> parts(windows.size());
        for (size_t axis = 0; axis < windows.size(); ++axis)
            parts[axis].window = windows[axis];
        parts[0].window = {.begin = 0, .end = own};
        std::array<int64_t, 2> offsets{};
        const std::array<const StoredLayout*, 2> sides{&source, &target};
        for (size_t side = 0; side < 2; ++side) {
            const StoredLayout& layout = *sides[side];
            const bool is_grouped = layout.groups > 1;
            const int64_t inside = is_grouped ? group % layout.enlarge : group;
            const int64_t outputs = inside * own;
            const int64_t channels = is_grouped ? inside * windows[1].end : 0;
            if (is_grouped) offsets[side] = group / layout.enlarge * block_numel(layout);
            (side == 0 ? parts[0].source_shift : parts[0].target_shift) = outputs;
            (side == 0 ? parts[1].source_shift : parts[1].target_shift) = channels;
        }
        copy_part(source, target, parts, copier, {offsets[0], offsets[1]});
    }
}

/// FRACTAL_Z_C04 takes H and W as one index; any layout that keeps them side by side can too.
void merge_pixels(StoredLayout& layout, const Dims& logical) {
    if (layout.logical == logical) return;
    auto& digits = layout.digits;
    for (size_t i = 0; i + 1 < digits.size(); ++i)
        if (digits[i].axis == 2 && digits[i + 1].axis == 3) {
            digits[i].extent *= digits[i + 1].extent;
            digits.erase(digits.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            layout.logical = {
                layout.logical[0], layout.logical[1], layout.logical[2] * layout.logical[3], 1};
            return;
        }
}

bool has_cut_pixels(const StoredLayout& layout) {
    return std::count_if(layout.digits.begin(),
                         layout.digits.end(),
                         [](const Digit& digit) { return digit.axis == 2; }) == 2 &&
           layout.logical.size() == 4 && layout.logical[3] == 1;
}

}  // namespace

Conversion::Conversion(StoredLayout source, StoredLayout target)
    : source_(std::move(source)), target_(std::move(target)) {
    if (source_.logical.size() != target_.logical.size())
        throw Error(ErrorKind::kUnsupported,
                    "a tensor of " + std::to_string(source_.logical.size()) +
                        " dimensions cannot become one of " +
                        std::to_string(target_.logical.size()));
    if (source_.groups > 1 && target_.groups > 1 && source_.groups != target_.groups)
        throw Error(ErrorKind::kUnsupported, "the numbers of groups differ");
    if (has_cut_pixels(source_)) merge_pixels(target_, source_.logical);
    if (has_cut_pixels(target_)) merge_pixels(source_, target_.logical);
}

bool Conversion::pads() const {
    int64_t written = 1;
    for (size_t axis = 0; axis < source_.logical.size(); ++axis)
        written *= std::min(source_.logical[axis], target_.logical[axis]);
    return written != target_.numel();
}

void Conversion::run(size_t element_size, const std::byte* source, std::byte* target) const {
    SourcePiece whole;
    whole.count = source_.numel();
    for (const int64_t extent : source_.logical)
        whole.windows.push_back({.begin = 0, .end = extent});
    run_piece(whole, element_size, source, target);
}

std::vector<SourcePiece> Conversion::pieces(int64_t most) const {
    SourcePiece whole;
    whole.count = source_.numel();
    for (const int64_t extent : source_.logical)
        whole.windows.push_back({.begin = 0, .end = extent});
    if (whole.count <= most || std::max(source_.groups, target_.groups) > 1) return {whole};
    // `level` is the outermost digit one step of which is small enough.
    size_t level = 0;
    int64_t inner = whole.count / source_.digits[0].extent;
    while (inner > most)
        inner /= source_.digits[++level].extent;
    const Digit& cut = source_.digits[level];
    const int64_t steps = std::max<int64_t>(1, most / inner);
    std::vector<SourcePiece> pieces;
    std::vector<int64_t> index(level, 0);
    for (int64_t first = 0; first < whole.count; first += cut.extent * inner) {
        SourcePiece row = whole;
        const auto narrow = [&](const Digit& digit, int64_t begin, int64_t end) {
            Window& window = row.windows[digit.axis];
            const int64_t base = window.begin;
            window.begin = base + begin * digit.weight;
            window.end = std::min(window.end, base + end * digit.weight);
        };
        for (size_t i = 0; i < level; ++i)
            narrow(source_.digits[i], index[i], index[i] + 1);
        const SourcePiece outer = row;
        for (int64_t step = 0; step < cut.extent; step += steps) {
            row = outer;
            const int64_t end = std::min(cut.extent, step + steps);
            narrow(cut, step, end);
            row.first = first + step * inner;
            row.count = (end - step) * inner;
            pieces.push_back(row);
        }
        for (size_t i = level; i-- > 0;) {
            if (++index[i] < source_.digits[i].extent) break;
            index[i] = 0;
        }
    }
    return pieces;
}

void Conversion::run_piece(const SourcePiece& piece,
                           size_t element_size,
                           const std::byte* elements,
                           std::byte* target) const {
    Copier copier(element_size, elements, target);
    std::vector<Window> windows = piece.windows;
    for (size_t axis = 0; axis < windows.size(); ++axis)
        windows[axis].end = std::min(windows[axis].end, target_.logical[axis]);
    if (std::max(source_.groups, target_.groups) > 1) {
        copy_groups(source_, target_, windows, copier);
        return;
    }
    std::vector<Shifted> parts;
    parts.reserve(windows.size());
    for (const Window& window : windows)
        parts.push_back({.window = window});
    copy_part(source_, target_, parts, copier, {-piece.first, 0});
}

std::vector<std::byte> convert(const StoredLayout& source,
                               const StoredLayout& target,
                               size_t element_size,
                               const std::byte* elements) {
    const Conversion conversion(source, target);
    std::vector<std::byte> result(static_cast<size_t>(target.numel()) * element_size);
    conversion.run(element_size, elements, result.data());
    return result;
}

}  // namespace npuscope::layout
