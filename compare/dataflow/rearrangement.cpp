#include "compare/dataflow/rearrangement.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <vector>

namespace npuscope::compare {

namespace {

/// Orders of more axes than these are not tried.
constexpr size_t kMostAxes = 6;
constexpr int64_t kLongestShift = 8;

bool same_number(double a, double b) {
    return a == b || (std::isnan(a) && std::isnan(b));
}

/// Equal for the same numbers in whatever order.
uint64_t bag_of(std::span<const double> values) {
    uint64_t bag = 0;
    for (const double value : values) {
        uint64_t bits = std::isnan(value) ? 1 : std::bit_cast<uint64_t>(value + 0.0);
        bits = (bits ^ bits >> 32) * 0xbf58476d1ce4e5b9u;
        bits = (bits ^ bits >> 29) * 0x94d049bb133111ebu;
        bag += bits ^ bits >> 32;
    }
    return bag;
}

/// Whether moved, element by element in C order over `extents`, is the original at `offset` plus
/// the sum of index times stride.
bool lies_so(std::span<const double> moved,
             std::span<const double> original,
             const Shape& extents,
             const std::vector<int64_t>& strides,
             int64_t offset) {
    std::vector<int64_t> index(extents.size(), 0);
    int64_t at = offset;
    for (const double value : moved) {
        if (!same_number(value, original[static_cast<size_t>(at)])) return false;
        for (size_t axis = extents.size(); axis-- > 0;) {
            at += strides[axis];
            if (++index[axis] < extents[axis]) break;
            at -= strides[axis] * extents[axis];
            index[axis] = 0;
        }
    }
    return true;
}

std::string permutation_text(const std::vector<size_t>& order, bool same_shape) {
    if (order.size() == 2)
        return same_shape ? "it is its transpose" : "its elements lie as in its transpose";
    std::vector<size_t> moved;
    for (size_t axis = 0; axis < order.size(); ++axis)
        if (order[axis] != axis) moved.push_back(axis);
    std::string text;
    if (moved.size() == 2) {
        text = "its axes " + std::to_string(moved[0]) + " and " + std::to_string(moved[1]) +
               " are swapped";
    } else {
        for (const size_t axis : order)
            text += (text.empty() ? "its axes are in the order " : ",") + std::to_string(axis);
    }
    return same_shape ? text : text + " and it is reshaped";
}

std::optional<std::string> permutation(const Elements& moved, const Elements& original) {
    const size_t ndim = original.shape.size();
    if (ndim < 2 || ndim > kMostAxes) return std::nullopt;
    const auto strides = contiguous_strides(original.shape);
    for (const bool same_shape : {true, false}) {
        std::vector<size_t> order(ndim);
        std::iota(order.begin(), order.end(), size_t{0});
        while (std::next_permutation(order.begin(), order.end())) {
            Shape extents;
            std::vector<int64_t> steps;
            for (const size_t axis : order) {
                extents.push_back(original.shape[axis]);
                steps.push_back(strides[axis]);
            }
            if ((extents == moved.shape) != same_shape) continue;
            if (lies_so(moved.values, original.values, extents, steps, 0))
                return permutation_text(order, same_shape);
        }
    }
    return std::nullopt;
}

std::string axis_text(const Shape& shape, const std::string& what, size_t axis) {
    const bool channels = shape.size() == 4 && axis == 1;
    return (channels ? "its channels are " : "it is ") + what + " along axis " +
           std::to_string(axis);
}

std::optional<std::string> flip(const Elements& moved, const Elements& original) {
    const auto strides = contiguous_strides(original.shape);
    const size_t ndim = original.shape.size();
    if (ndim > kMostAxes) return std::nullopt;
    std::vector<unsigned> sets;
    for (unsigned set = 1; set < 1u << ndim; ++set)
        sets.push_back(set);
    std::ranges::stable_sort(sets, {}, [](unsigned set) { return std::popcount(set); });
    for (const unsigned set : sets) {
        std::vector<int64_t> steps = strides;
        int64_t offset = 0;
        std::string axes;
        for (size_t axis = 0; axis < ndim; ++axis) {
            if ((set >> axis & 1) == 0) continue;
            offset += strides[axis] * (original.shape[axis] - 1);
            steps[axis] = -strides[axis];
            axes += (axes.empty() ? "" : " and ") + std::to_string(axis);
        }
        if (!lies_so(moved.values, original.values, original.shape, steps, offset)) continue;
        if (std::popcount(set) > 1) return "it is flipped along axes " + axes;
        return axis_text(original.shape, "flipped", static_cast<size_t>(std::countr_zero(set)));
    }
    return std::nullopt;
}

/// Slices along one axis: element i of slice s begins at s * inner, in rows of dim * inner.
struct Slices {
    int64_t outer = 1;
    int64_t dim = 1;
    int64_t inner = 1;

    Slices(const Shape& shape, size_t axis) : dim(shape[axis]) {
        for (size_t i = 0; i < axis; ++i)
            outer *= shape[i];
        for (size_t i = axis + 1; i < shape.size(); ++i)
            inner *= shape[i];
    }

    [[nodiscard]] bool equal(std::span<const double> a,
                             int64_t slice,
                             std::span<const double> b,
                             int64_t other) const {
        for (int64_t row = 0; row < outer; ++row) {
            const auto one = a.subspan(static_cast<size_t>((row * dim + slice) * inner),
                                       static_cast<size_t>(inner));
            const auto two = b.subspan(static_cast<size_t>((row * dim + other) * inner),
                                       static_cast<size_t>(inner));
            if (!std::ranges::equal(one, two, same_number)) return false;
        }
        return true;
    }

    /// By its first elements; equal slices have equal keys.
    [[nodiscard]] double key(std::span<const double> values, int64_t slice) const {
        double sum = 0;
        for (int64_t row = 0; row < outer; ++row) {
            const double value = values[static_cast<size_t>((row * dim + slice) * inner)];
            sum = sum * 0.75 + (std::isfinite(value) ? value : 1);
        }
        return sum;
    }
};

/// Of each slice of `moved` the slice of `original` that it is; empty where one is none.
std::vector<int64_t> slice_order(const Elements& moved, const Elements& original, size_t axis) {
    const Slices slices(original.shape, axis);
    std::multimap<double, int64_t> waiting;
    for (int64_t i = 0; i < slices.dim; ++i)
        waiting.emplace(slices.key(original.values, i), i);
    std::vector<int64_t> order;
    for (int64_t i = 0; i < slices.dim; ++i) {
        auto [at, end] = waiting.equal_range(slices.key(moved.values, i));
        while (at != end && !slices.equal(moved.values, i, original.values, at->second))
            ++at;
        if (at == end) return {};
        order.push_back(at->second);
        waiting.erase(at);
    }
    return order;
}

std::string order_text(const Shape& shape, const std::vector<int64_t>& order, size_t axis) {
    std::vector<int64_t> moved;
    const auto dim = static_cast<int64_t>(order.size());
    for (int64_t i = 0; i < dim; ++i)
        if (order[static_cast<size_t>(i)] != i) moved.push_back(i);
    const std::string along = " along axis " + std::to_string(axis);
    if (moved.size() == 2)
        return "its slices " + std::to_string(moved[0]) + " and " + std::to_string(moved[1]) +
               along + " are swapped";
    const int64_t shift = order[0] == 0 ? 0 : dim - order[0];
    bool cyclic = true;
    for (int64_t i = 0; i < dim; ++i)
        cyclic = cyclic &&
                 order[static_cast<size_t>(i + shift < dim ? i + shift : i + shift - dim)] == i;
    if (cyclic)
        return axis_text(shape, "shifted by " + std::to_string(shift), axis) + ", cyclically";
    return "its slices" + along + " are in another order";
}

std::optional<std::string> moved_slices(const Elements& moved, const Elements& original) {
    for (size_t axis = 0; axis < original.shape.size(); ++axis) {
        const std::vector<int64_t> order = slice_order(moved, original, axis);
        if (!order.empty()) return order_text(original.shape, order, axis);
    }
    return std::nullopt;
}

bool is_shifted(const Slices& slices,
                const Elements& moved,
                const Elements& original,
                int64_t shift) {
    for (int64_t i = std::max<int64_t>(0, shift); i < slices.dim + std::min<int64_t>(0, shift); ++i)
        if (!slices.equal(moved.values, i, original.values, i - shift)) return false;
    return true;
}

}  // namespace

std::optional<std::string> rearrangement(const Elements& moved, const Elements& original) {
    if (moved.values.size() != original.values.size() ||
        bag_of(moved.values) != bag_of(original.values))
        return std::nullopt;
    if (auto text = permutation(moved, original)) return text;
    if (moved.shape == original.shape) {
        if (auto text = flip(moved, original)) return text;
        if (auto text = moved_slices(moved, original)) return text;
    }
    return "its elements are in another order";
}

std::optional<std::string> shift_of(const Elements& moved, const Elements& original) {
    for (size_t axis = 0; axis < original.shape.size(); ++axis) {
        const Slices slices(original.shape, axis);
        for (int64_t length = 1; length <= std::min(kLongestShift, slices.dim / 2); ++length)
            for (const int64_t shift : {length, -length})
                if (is_shifted(slices, moved, original, shift))
                    return axis_text(original.shape, "shifted by " + std::to_string(shift), axis);
    }
    return std::nullopt;
}

}  // namespace npuscope::compare
