// How two tensors lie to each other as vectors.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace npuscope::compare {

struct DotProducts {
    double tt = 0;
    double tg = 0;
    double gg = 0;

    /// Whether the one is a positive number times the other: the square of their cosine is `least`
    /// or more.
    [[nodiscard]] bool are_multiples(double least) const {
        return tg > 0 && tg * tg >= least * tt * gg;
    }
};

/// Of as many elements.
[[nodiscard]] inline DotProducts dot_products(std::span<const double> target,
                                              std::span<const double> golden) {
    DotProducts products;
    for (size_t i = 0; i < golden.size(); ++i) {
        products.tt += target[i] * target[i];
        products.tg += target[i] * golden[i];
        products.gg += golden[i] * golden[i];
    }
    return products;
}

/// |target - golden| / |golden|; 0 of equal ones, infinity where the golden alone is zero. Of as
/// many elements.
[[nodiscard]] inline double relative_distance(std::span<const double> target,
                                              std::span<const double> golden) {
    double difference = 0;
    double size = 0;
    for (size_t i = 0; i < golden.size(); ++i) {
        difference += (target[i] - golden[i]) * (target[i] - golden[i]);
        size += golden[i] * golden[i];
    }
    if (difference == 0) return 0;
    return size > 0 ? std::sqrt(difference / size) : std::numeric_limits<double>::infinity();
}

}  // namespace npuscope::compare
