#include "compare/relate/view.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "core/base/error.h"

namespace npuscope::compare {

int64_t place_in_source(const View& view, int64_t element) {
    int64_t at = view.offset;
    for (size_t loop = view.loops.size(); loop-- > 0;) {
        at += view.loops[loop].at(element % view.loops[loop].extent);
        element /= view.loops[loop].extent;
    }
    return at;
}

namespace {

/// Loops over the elements of an inner view as loops over its source.
class Composition {
  public:
    explicit Composition(const View& inner) : inner_(inner), steps_(inner.loops.size(), 1) {
        for (size_t loop = steps_.size(); loop-- > 1;)
            steps_[loop - 1] = steps_[loop] * inner.loops[loop].extent;
    }

    std::optional<View> of(const View& outer) {
        View view{.shape = outer.shape,
                  .source_numel = inner_.source_numel,
                  .offset = place_in_source(inner_, outer.offset)};
        for (size_t axis = 0; axis < steps_.size(); ++axis)
            reached_.push_back(outer.offset / steps_[axis] % inner_.loops[axis].extent);
        for (const View::Loop& loop : outer.loops)
            if (!add(loop, view.loops)) return std::nullopt;
        return view;
    }

  private:
    /// The outer loop in as many loops as inner axes that it goes through.
    bool add(View::Loop loop, std::vector<View::Loop>& loops) {
        std::vector<View::Loop> pieces;
        if (!loop.is_plain()) return false;
        if (loop.stride == 0 || loop.extent == 1) {
            loops.push_back({loop.extent, 0});
            return true;
        }
        while (loop.extent > 1) {
            size_t axis = steps_.size();
            while (axis > 0 &&
                   (inner_.loops[axis - 1].extent == 1 || steps_[axis - 1] > loop.stride ||
                    steps_[axis - 1] * inner_.loops[axis - 1].extent <= loop.stride))
                --axis;
            if (axis-- == 0 || loop.stride % steps_[axis] != 0) return false;
            const int64_t extent = inner_.loops[axis].extent;
            const int64_t stride = inner_.loops[axis].stride;
            const int64_t many = loop.stride / steps_[axis];
            int64_t taken = loop.extent;
            if (reached_[axis] + (loop.extent - 1) * many >= extent) {
                taken = extent / many;
                if (extent % many != 0 || loop.extent % taken != 0) return false;
            }
            reached_[axis] += (taken - 1) * many;
            if (reached_[axis] >= extent) return false;
            pieces.push_back({taken, many * stride});
            loop.extent /= taken;
            loop.stride *= taken;
        }
        loops.insert(loops.end(), pieces.rbegin(), pieces.rend());
        return true;
    }

    const View& inner_;
    std::vector<int64_t> steps_;    ///< elements of the inner view between places of its loops
    std::vector<int64_t> reached_;  ///< the last place of each inner loop that is used so far
};

/// The loops of a view, the innermost places first, joined where one goes on where the other ends.
std::vector<View::Loop> places_of(const View& view) {
    std::vector<View::Loop> loops;
    std::ranges::copy_if(
        view.loops, std::back_inserter(loops), [](const auto& each) { return each.extent != 1; });
    std::ranges::sort(loops, {}, &View::Loop::stride);
    std::vector<View::Loop> joined;
    for (const View::Loop& loop : loops) {
        if (!joined.empty() && joined.back().stride * joined.back().extent == loop.stride)
            joined.back().extent *= loop.extent;
        else
            joined.push_back(loop);
    }
    return joined;
}

bool goes_forward(const View& view) {
    return std::ranges::all_of(view.loops, [](const View::Loop& each) {
        return each.is_plain() && (each.stride > 0 || each.extent == 1);
    });
}

}  // namespace

bool cover_the_same(const View& one, const View& other) {
    if (!goes_forward(one) || !goes_forward(other)) return one == other;
    return one.source_numel == other.source_numel && one.offset == other.offset &&
           places_of(one) == places_of(other);
}

std::optional<View> composed(const View& outer, const View& inner) {
    if (std::ranges::any_of(inner.loops, [](const View::Loop& each) { return !each.is_plain(); }))
        return std::nullopt;
    return Composition(inner).of(outer);
}

bool stays_inside(const View& view) {
    int64_t low = view.offset;
    int64_t high = view.offset;
    for (const View::Loop& loop : view.loops) {
        if (loop.is_ordered()) {
            (loop.stride < 0 ? low : high) += (loop.extent - 1) * loop.stride;
            continue;
        }
        // The corners: ends of the first tile, of the last whole one, and of what is left.
        const int64_t tile = loop.tile == 0 ? loop.extent : loop.tile;
        const int64_t rest = (loop.extent - 1) / tile * tile;
        int64_t nearest = 0;
        int64_t farthest = 0;
        for (const int64_t corner :
             {std::min(tile, loop.extent) - 1, rest - tile, rest - 1, rest, loop.extent - 1}) {
            const int64_t place = loop.at(std::max<int64_t>(0, corner));
            nearest = std::min(nearest, place);
            farthest = std::max(farthest, place);
        }
        low += nearest;
        high += farthest;
    }
    return low >= 0 && high < view.source_numel;
}

Tensor apply(const View& view, const Tensor& source) {
    if (source.numel() != view.source_numel)
        throw Error(ErrorKind::kInternal,
                    "a view of " + std::to_string(view.source_numel) +
                        " elements cannot be taken of " + to_string(source.shape()));
    const size_t size = size_of(source.dtype());
    Tensor result(source.dtype(), view.shape);
    std::byte* to = result.mutable_data();
    for_each_place(view, [&](int64_t at) {
        std::memcpy(to, source.data() + static_cast<size_t>(at) * size, size);
        to += size;
        return true;
    });
    return view.cast ? result.cast(*view.cast) : result;
}

}  // namespace npuscope::compare
