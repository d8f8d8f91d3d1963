#include "core/tensor/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

namespace npuscope {

namespace {

constexpr int64_t kTile = 8192;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Calls f(std::span<const T>) for each tile in order; the elements pass by once, piece by piece.
template <class T, class F>
void for_each_tile(const ElementSource& source, F&& f) {
    constexpr int64_t kPiece = 128 * kTile;
    std::vector<std::byte> buffer;
    std::vector<std::byte> aligned;
    ReleasedBehind released(source);
    for (int64_t first = 0; first < source.numel(); first += kPiece) {
        const int64_t count = std::min(kPiece, source.numel() - first);
        const auto elements = static_cast<size_t>(count);
        const std::byte* bytes = source.range(first, count, buffer);
        if (reinterpret_cast<uintptr_t>(bytes) % alignof(T) != 0) {
            aligned.assign(bytes, bytes + elements * sizeof(T));
            bytes = aligned.data();
        }
        const std::span values(reinterpret_cast<const T*>(bytes), elements);
        for (size_t start = 0; start < elements; start += kTile)
            f(values.subspan(start, std::min<size_t>(kTile, elements - start)));
        released.until(first + count);
    }
    source.require_intact();
}

/// Independent sums within a tile, so that one addition need not wait for the other.
constexpr size_t kLanes = 4;

/// Sum of term(value) over the finite elements: lanes of a tile in order, tiles in order.
template <class F>
double finite_sum(const ElementSource& source, F&& term) {
    double sum = 0;
    visit_dtype(source.dtype(), [&]<class T>() {
        for_each_tile<T>(source, [&](std::span<const T> tile) {
            double lanes[kLanes] = {};
            const auto add = [&](size_t lane, double value) {
                lanes[lane] += std::isfinite(value) ? term(value) : 0.0;
            };
            size_t i = 0;
            for (; i + kLanes <= tile.size(); i += kLanes)
                for (size_t lane = 0; lane < kLanes; ++lane)
                    add(lane, to_double(tile[i + lane]));
            for (; i < tile.size(); ++i)
                add(i % kLanes, to_double(tile[i]));
            for (const double lane : lanes)
                sum += lane;
        });
    });
    return sum;
}

/// Counts and extremes; the sum of a tile's elements comes along, NaN where one is not finite.
template <class T>
void add_tile(std::span<const T> tile, Statistics& found, double& sum) {
    double low[kLanes];
    double high[kLanes];
    double sums[kLanes] = {};
    int64_t zeros[kLanes] = {};
    int64_t beyond[kLanes] = {};
    std::fill_n(low, kLanes, std::numeric_limits<double>::infinity());
    std::fill_n(high, kLanes, -std::numeric_limits<double>::infinity());
    const auto add = [&](size_t lane, double value) {
        beyond[lane] += std::fabs(value) <= std::numeric_limits<double>::max() ? 0 : 1;
        low[lane] = value < low[lane] ? value : low[lane];
        high[lane] = value > high[lane] ? value : high[lane];
        sums[lane] += value;
        zeros[lane] += value == 0 ? 1 : 0;
    };
    size_t i = 0;
    for (; i + kLanes <= tile.size(); i += kLanes)
        for (size_t lane = 0; lane < kLanes; ++lane)
            add(lane, to_double(tile[i + lane]));
    for (; i < tile.size(); ++i)
        add(i % kLanes, to_double(tile[i]));
    const bool finite = std::accumulate(beyond, beyond + kLanes, int64_t{0}) == 0;
    if (finite && !tile.empty()) {
        const double smallest = *std::min_element(low, low + kLanes);
        const double largest = *std::max_element(high, high + kLanes);
        found.min = found.finite == 0 ? smallest : std::min(found.min, smallest);
        found.max = found.finite == 0 ? largest : std::max(found.max, largest);
        found.finite += static_cast<int64_t>(tile.size());
        for (size_t lane = 0; lane < kLanes; ++lane) {
            found.zero += zeros[lane];
            sum += sums[lane];
        }
        return;
    }
    sum = std::numeric_limits<double>::quiet_NaN();
    for (const T element : tile) {
        const double value = to_double(element);
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
}

}  // namespace

double Statistics::norm() const {
    return std::hypot(mean, deviation) * std::sqrt(static_cast<double>(finite));
}

double Statistics::max_of_numbers() const {
    if (positive_inf > 0) return kInf;
    if (finite > 0) return max;
    return negative_inf > 0 ? -kInf : kNan;
}

double Statistics::min_of_numbers() const {
    if (negative_inf > 0) return -kInf;
    if (finite > 0) return min;
    if (positive_inf > 0) return kInf;
    return kNan;
}

double Statistics::mean_of_numbers() const {
    if (positive_inf > 0 && negative_inf > 0) return kNan;
    if (positive_inf > 0) return kInf;
    if (negative_inf > 0) return -kInf;
    return finite > 0 ? mean : kNan;
}

Statistics statistics_of(const Tensor& tensor) {
    return statistics_of(TensorElements(tensor));
}

Statistics statistics_of(const ElementSource& tensor) {
    Statistics found;
    found.count = tensor.numel();
    double sum = 0;
    visit_dtype(tensor.dtype(), [&]<class T>() {
        for_each_tile<T>(tensor, [&](std::span<const T> tile) { add_tile(tile, found, sum); });
    });
    if (found.finite == 0) return found;
    const auto count = static_cast<double>(found.finite);
    if (std::isnan(sum)) sum = finite_sum(tensor, [](double value) { return value; });
    found.mean = sum / count;
    // Doubles near the largest finite one: their sum is beyond it, their mean is not.
    if (!std::isfinite(found.mean))
        found.mean = finite_sum(tensor, [&](double value) { return value / count; });
    const double scale =
        std::max(std::fabs(found.max - found.mean), std::fabs(found.min - found.mean));
    if (scale == 0 || !std::isfinite(scale)) return found;
    const double inverse = 1.0 / scale;
    const double squares = std::isfinite(inverse)
                               ? finite_sum(tensor,
                                            [&](double value) {
                                                const double distance =
                                                    (value - found.mean) * inverse;
                                                return distance * distance;
                                            })
                               : finite_sum(tensor, [&](double value) {
                                     const double distance = (value - found.mean) / scale;
                                     return distance * distance;
                                 });
    found.deviation = scale * std::sqrt(squares / count);
    return found;
}

std::vector<int64_t> histogram_of(const Tensor& tensor, const Statistics& statistics, int bins) {
    return histogram_of(TensorElements(tensor), statistics, bins);
}

std::vector<int64_t> histogram_of(const ElementSource& tensor,
                                  const Statistics& statistics,
                                  int bins) {
    std::vector<int64_t> counts(static_cast<size_t>(bins), 0);
    // A range over all doubles is halved, so that its width is finite.
    const double half = std::isfinite(statistics.max - statistics.min) ? 1.0 : 0.5;
    const double start = statistics.min * half;
    const double width = statistics.max * half - start;
    visit_dtype(tensor.dtype(), [&]<class T>() {
        for_each_tile<T>(tensor, [&](std::span<const T> tile) {
            for (const T element : tile) {
                const double value = to_double(element);
                if (!std::isfinite(value)) continue;
                const double place = width > 0 ? (value * half - start) / width : 0;
                const auto bin = static_cast<int64_t>(place * bins);
                ++counts[static_cast<size_t>(std::clamp<int64_t>(bin, 0, bins - 1))];
            }
        });
    });
    return counts;
}

}  // namespace npuscope
