// Places of a grid in an image: where they lie, what is read around them, how fast they move. W is
// the type that a recipe computes in.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

namespace npuscope::backend {

/// A place along one axis, in elements, and its derivative by the place that was asked for.
template <class W>
struct MovedPlace {
    W place = 0;
    W slope = 1;
};

/// How places outside the image are read.
struct Edge {
    std::string mode;  ///< zeros, border, reflection
    bool corners = false;

    /// Elements of an axis of `size` that one step of a grid, which has -1 to 1, goes.
    template <class W>
    [[nodiscard]] W step(int64_t size) const {
        return static_cast<W>(corners ? size - 1 : size) / 2;
    }

    /// A grid's number, -1 to 1 over the axis, in elements.
    template <class W>
    [[nodiscard]] W element(W number, int64_t size) const {
        const auto n = static_cast<W>(size);
        return corners ? (number + 1) / 2 * (n - 1) : ((number + 1) * n - 1) / 2;
    }

    /// `place` in elements, brought inside for reflection and border. On the border itself it
    /// stands still, as PyTorch has it.
    template <class W>
    [[nodiscard]] MovedPlace<W> moved(W place, int64_t size) const {
        if (mode == "zeros") return {place, 1};
        const auto last = static_cast<W>(size - 1);
        W slope = 1;
        if (mode == "reflection") {
            const W low = corners ? W{0} : W{-0.5};
            const W span = corners ? last : static_cast<W>(size);
            if (span <= 0) return {0, 0};
            const W away = std::fabs(place - low);
            const W rest = std::fmod(away, span);
            const bool is_back = std::fmod(std::floor(away / span), W{2}) != 0;
            slope = (place < low) == is_back ? 1 : -1;
            place = is_back ? span - rest + low : rest + low;
        }
        if (place <= 0 || place >= last) slope = 0;
        return {std::clamp(place, W{0}, last), slope};
    }
};

/// One channel of one image.
struct Extent {
    int64_t height, width;
    const Edge& edge;

    /// The element at a whole place, which is brought inside; -1 where there is none.
    template <class W>
    [[nodiscard]] int64_t index(W y, W x) const {
        if (edge.mode != "zeros") {
            y = edge.moved(y, height).place;
            x = edge.moved(x, width).place;
        }
        if (!(y >= 0 && x >= 0 && y < static_cast<W>(height) && x < static_cast<W>(width)))
            return -1;
        return static_cast<int64_t>(y) * width + static_cast<int64_t>(x);
    }
};

/// What the elements around a place along one axis count, from `first` on, and the derivatives.
template <class W>
struct Neighbours {
    W first = 0;
    int count = 0;
    std::array<W, 4> weights{};
    std::array<W, 4> slopes{};
};

/// Of modes 0, linear, and 2, cubic. Source: Keys, Cubic Convolution Interpolation (1981), with
/// a = -0.75.
template <class W>
[[nodiscard]] Neighbours<W> neighbours(int64_t mode, W place) {
    const W start = std::floor(place);
    const W t = place - start;
    if (mode == 0) return {start, 2, {1 - t, t}, {-1, 1}};
    constexpr W kA{-0.75};
    const auto near = [](W d) { return ((kA + 2) * d - (kA + 3)) * d * d + 1; };
    const auto far = [](W d) { return ((kA * d - 5 * kA) * d + 8 * kA) * d - 4 * kA; };
    const auto near_slope = [](W d) { return (3 * (kA + 2) * d - 2 * (kA + 3)) * d; };
    const auto far_slope = [](W d) { return (3 * kA * d - 10 * kA) * d + 8 * kA; };
    return {start - 1,
            4,
            {far(t + 1), near(t), near(1 - t), far(2 - t)},
            {far_slope(t + 1), near_slope(t), -near_slope(1 - t), -far_slope(2 - t)}};
}

}  // namespace npuscope::backend
