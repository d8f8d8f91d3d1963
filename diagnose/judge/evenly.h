// Places that lie evenly, whatever repeats along them.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace npuscope::diagnose {

/// `count` of `size` places from all over, the `skipped` first left out. Multiples of the golden
/// ratio, modulo 1, lie evenly, whatever the length of a row.
[[nodiscard]] inline std::vector<int64_t> evenly(int64_t size, int64_t count, int64_t skipped = 0) {
    constexpr double kGolden = 0.6180339887498949;
    std::vector<int64_t> places;
    places.reserve(static_cast<size_t>(count));
    for (int64_t i = skipped; i < skipped + count; ++i) {
        const double at = static_cast<double>(i) * kGolden;
        places.push_back(static_cast<int64_t>((at - std::floor(at)) * static_cast<double>(size)));
    }
    return places;
}

}  // namespace npuscope::diagnose
