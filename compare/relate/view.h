// How the elements of one tensor lie in another.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// Reshape, permute, slice, select, split, expand (stride 0), flip (negative stride), few blocks in
/// another order (the gates of an LSTM), and a cast.
struct View {
    /// One loop over the source's elements in C order.
    struct Loop {
        int64_t extent = 1;
        int64_t stride = 0;
        int64_t tile = 0;  ///< so many places are `stride` apart, tiles of them `jump`; 0: all are
        int64_t jump = 0;
        /// Of at most so many places, without tiles: those that it goes to in turn. All 0: as they
        /// are.
        static constexpr size_t kMostOrdered = 4;
        std::array<uint8_t, kMostOrdered> order{};

        [[nodiscard]] bool is_ordered() const { return std::bit_cast<uint32_t>(order) != 0; }
        /// Whether all places are `stride` apart.
        [[nodiscard]] bool is_plain() const { return tile == 0 && !is_ordered(); }
        /// How far place `index` is from the beginning.
        [[nodiscard]] int64_t at(int64_t index) const {
            if (is_ordered()) return order[static_cast<size_t>(index)] * stride;
            return tile == 0 ? index * stride : index / tile * jump + index % tile * stride;
        }
        friend bool operator==(const Loop&, const Loop&) = default;
    };

    Shape shape;  ///< of the view
    int64_t source_numel = 0;
    int64_t offset = 0;           ///< of the first element
    std::vector<Loop> loops{};    ///< outermost first; a dimension of `shape` may be two of them
    std::optional<DType> cast{};  ///< the source's elements are rounded to it

    friend bool operator==(const View&, const View&) = default;
};

/// Where in the source element `element` (in C order) of the view lies.
[[nodiscard]] int64_t place_in_source(const View& view, int64_t element);

/// Calls f(source place) for each element of the view in C order, until it says false; false then.
template <class F>
bool for_each_place(const View& view, F&& f) {
    std::vector<int64_t> index(view.loops.size(), 0);
    int64_t at = place_in_source(view, 0);
    const int64_t numel = numel_of(view.shape);
    for (int64_t i = 0; i < numel; ++i) {
        if (!f(at)) return false;
        for (size_t loop = view.loops.size(); loop-- > 0;) {
            const View::Loop& each = view.loops[loop];
            at -= each.at(index[loop]);
            if (++index[loop] < each.extent) {
                at += each.at(index[loop]);
                break;
            }
            index[loop] = 0;
            at += each.at(0);
        }
    }
    return true;
}

/// Whether both go to the same places of their sources, in whatever order. Of loops that are all
/// plain and go forward; else whether they are equal.
[[nodiscard]] bool cover_the_same(const View& one, const View& other);

/// One view for `outer` of what `inner` shows; empty where nested loops cannot tell it. Of views
/// without casts.
[[nodiscard]] std::optional<View> composed(const View& outer, const View& inner);

/// Whether all its elements lie inside the source.
[[nodiscard]] bool stays_inside(const View& view);

/// The view of another tensor of source_numel elements; it keeps that tensor's dtype, or has the
/// cast's. Errors: Error(kInternal) on another numel.
[[nodiscard]] Tensor apply(const View& view, const Tensor& source);

}  // namespace npuscope::compare
