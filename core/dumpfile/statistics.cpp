#include "core/dumpfile/statistics.h"

#include <algorithm>
#include <cmath>

namespace npuscope::dumpfile {

namespace {

constexpr int64_t kTile = 8192;

/// Calls f(value) for each finite element and end_tile() after each tile.
template <class F, class EndTile>
void for_each_finite(const Tensor& tensor, F&& f, EndTile&& end_tile) {
    visit_dtype(tensor.dtype(), [&]<class T>() {
        const auto values = tensor.as<T>();
        for (size_t i = 0; i < values.size(); ++i) {
            const double value = npuscope::to_double(values[i]);
            if (std::isfinite(value)) f(value);
            if ((i + 1) % kTile == 0) end_tile();
        }
        end_tile();
    });
}

template <class F>
double finite_sum(const Tensor& tensor, F&& term) {
    double sum = 0;
    double tile = 0;
    for_each_finite(
        tensor,
        [&](double value) { tile += term(value); },
        [&] {
            sum += tile;
            tile = 0;
        });
    return sum;
}

}  // namespace

Statistics statistics_of(const Tensor& tensor) {
    Statistics found;
    found.count = tensor.numel();
    visit_dtype(tensor.dtype(), [&]<class T>() {
        for (const T element : tensor.as<T>()) {
            const double value = npuscope::to_double(element);
            if (std::isnan(value)) {
                ++found.nan;
            } else if (std::isinf(value)) {
                ++(value > 0 ? found.positive_inf : found.negative_inf);
            } else {
                found.min = found.finite == 0 ? value : std::min(found.min, value);
                found.max = found.finite == 0 ? value : std::max(found.max, value);
                ++found.finite;
                if (value == 0) ++found.zero;
            }
        }
    });
    if (found.finite == 0) return found;
    const auto count = static_cast<double>(found.finite);
    found.mean = finite_sum(tensor, [](double value) { return value; }) / count;
    // Doubles near the largest finite one: their sum is beyond it, their mean is not.
    if (!std::isfinite(found.mean))
        found.mean = finite_sum(tensor, [&](double value) { return value / count; });
    const double scale =
        std::max(std::fabs(found.max - found.mean), std::fabs(found.min - found.mean));
    if (scale == 0 || !std::isfinite(scale)) return found;
    const double squares = finite_sum(tensor, [&](double value) {
        const double distance = (value - found.mean) / scale;
        return distance * distance;
    });
    found.deviation = scale * std::sqrt(squares / count);
    return found;
}

std::vector<int64_t> histogram_of(const Tensor& tensor, const Statistics& statistics, int bins) {
    std::vector<int64_t> counts(static_cast<size_t>(bins), 0);
    // A range over all doubles is halved, so that its width is finite.
    const double half = std::isfinite(statistics.max - statistics.min) ? 1.0 : 0.5;
    const double start = statistics.min * half;
    const double width = statistics.max * half - start;
    for_each_finite(
        tensor,
        [&](double value) {
            const double place = width > 0 ? (value * half - start) / width : 0;
            const auto bin = static_cast<int64_t>(place * bins);
            ++counts[static_cast<size_t>(std::clamp<int64_t>(bin, 0, bins - 1))];
        },
        [] {});
    return counts;
}

}  // namespace npuscope::dumpfile
