#include "diagnose/judge/result_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace npuscope::diagnose {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr size_t kMostWorst = 10;

bool is_number(double value) {
    return std::isfinite(value);
}

/// Honest arithmetic whose exact result leaves the range writes infinity, NaN (infinity less
/// infinity on the way) or the largest finite number.
bool is_overflow(double recorded, double expected, double largest) {
    if (std::isnan(expected)) return false;
    return std::abs(expected) > largest &&
           (!is_number(recorded) || std::abs(recorded) >= 0.999 * largest);
}

double ratio_of(double recorded, double expected, double allowed) {
    if (is_number(recorded) && is_number(expected)) {
        const double error = std::abs(recorded - expected);
        if (error <= allowed) return allowed > 0 ? error / allowed : 0;
        return allowed > 0 ? error / allowed : kInfinity;
    }
    if (std::isnan(recorded) && !is_number(expected)) return 0;
    if (std::isnan(expected) && std::isinf(recorded)) return 0;
    return recorded == expected ? 0 : kInfinity;
}

template <class T>
void visit_elements(const Tensor& tensor, T&& f) {
    visit_dtype(tensor.dtype(), [&]<class E>() {
        const auto elements = tensor.as<E>();
        for (size_t i = 0; i < elements.size(); ++i)
            f(i, to_double(elements[i]));
    });
}

/// Places along each axis of the elements over the limit: "[:, 5]", "[0, 3..7]"; "" where they
/// share none.
std::string shared_place(const Shape& shape, const std::vector<int64_t>& over) {
    if (over.empty() || shape.empty()) return {};
    std::string text;
    bool narrow = false;
    int64_t stride = numel_of(shape);
    for (const int64_t size : shape) {
        stride /= std::max<int64_t>(size, 1);
        int64_t lowest = size;
        int64_t highest = -1;
        for (const int64_t index : over) {
            const int64_t at = (index / stride) % size;
            lowest = std::min(lowest, at);
            highest = std::max(highest, at);
        }
        text += text.empty() ? "" : ", ";
        if (highest - lowest + 1 >= size && size > 1) {
            text += ":";
        } else {
            narrow = narrow || size > 1;
            text +=
                lowest == highest ? std::to_string(lowest) : fmt::format("{}..{}", lowest, highest);
        }
    }
    return narrow ? "[" + text + "]" : std::string();
}

constexpr size_t kBlock = 1024;

double limit_of(std::span<const double> allowed, size_t i) {
    return allowed.empty() ? 0 : allowed[i];
}

void widen(const Tensor& tensor, size_t first, std::span<double> elements) {
    convert_elements(tensor.data() + first * size_of(tensor.dtype()),
                     tensor.dtype(),
                     elements.data(),
                     DType::kFloat64,
                     elements.size());
}

/// Of the elements so far.
struct Sums {
    double ratio = 0;
    double worst = 0;
    double scale = 0;  ///< the largest finite expected magnitude
    int64_t over = 0;
    int64_t overflowed = 0;
};

/// Where all are finite and within the range; false, with nothing taken, elsewhere.
bool take_numbers(std::span<const double> recorded,
                  std::span<const double> expected,
                  std::span<const double> allowed,
                  double largest,
                  Sums& sums) {
    double size = 0;
    double worst = 0;
    double ratio = 0;
    double recorded_sum = 0;
    int64_t over = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
        const double magnitude = std::abs(expected[i]);
        const double error = std::abs(recorded[i] - expected[i]);
        recorded_sum += std::abs(recorded[i]) + magnitude;
        size = std::max(size, magnitude);
        worst = std::max(worst, error);
        const double share = error == 0 ? 0 : error / limit_of(allowed, i);
        ratio = std::max(ratio, share);
        over += share > 1 ? 1 : 0;
    }
    if (!is_number(recorded_sum) || size > largest) return false;
    sums.ratio = std::max(sums.ratio, ratio);
    sums.worst = std::max(sums.worst, worst);
    sums.scale = std::max(sums.scale, size);
    sums.over += over;
    return true;
}

void take_any(std::span<const double> recorded,
              std::span<const double> expected,
              std::span<const double> allowed,
              double largest,
              Sums& sums) {
    for (size_t i = 0; i < expected.size(); ++i) {
        const double value = recorded[i];
        const double exact = expected[i];
        if (is_number(exact)) sums.scale = std::max(sums.scale, std::abs(exact));
        if (value == exact) continue;
        const double ratio = ratio_of(value, exact, limit_of(allowed, i));
        // Formats wider than the class's may hold it all the same.
        const bool holds = is_number(value) && ratio <= 1;
        if (!holds && is_overflow(value, exact, largest)) {
            ++sums.overflowed;
            continue;
        }
        if (is_number(value) && is_number(exact))
            sums.worst = std::max(sums.worst, std::abs(value - exact));
        sums.ratio = std::max(sums.ratio, ratio);
        sums.over += ratio > 1 ? 1 : 0;
    }
}

}  // namespace

compare::Introduced measure_error(const Tensor& recorded,
                                  std::span<const double> expected,
                                  const NumberFormat& results,
                                  std::span<const double> allowed) {
    compare::Introduced error{.numel = recorded.numel()};
    const double largest = std::min(results.largest(), format_of(recorded.dtype()).largest());
    Sums sums;
    std::array<double, kBlock> block{};
    for (size_t first = 0; first < expected.size(); first += kBlock) {
        const size_t count = std::min(kBlock, expected.size() - first);
        widen(recorded, first, std::span(block).first(count));
        const auto exact = expected.subspan(first, count);
        const auto limits = allowed.empty() ? allowed : allowed.subspan(first, count);
        if (!take_numbers(std::span(block).first(count), exact, limits, largest, sums))
            take_any(std::span(block).first(count), exact, limits, largest, sums);
    }
    error.ratio = sums.ratio;
    error.over = sums.over;
    error.overflowed = sums.overflowed;
    error.largest = sums.scale;
    error.relative = std::isinf(error.ratio) ? kInfinity
                     : sums.scale > 0        ? sums.worst / sums.scale
                                             : sums.worst;
    return error;
}

void describe(const Tensor& recorded,
              std::span<const double> expected,
              std::span<const double> allowed,
              compare::Introduced& error) {
    std::vector<std::pair<double, compare::ErrorElement>> worst;
    std::vector<int64_t> over;
    double products = 0;
    double squares = 0;
    double sum = 0;
    double sum_of_squares = 0;
    double count = 0;
    visit_elements(recorded, [&](size_t i, double value) {
        const double exact = expected[i];
        if (is_number(value) && is_number(exact)) {
            products += value * exact;
            squares += exact * exact;
            sum += value - exact;
            sum_of_squares += (value - exact) * (value - exact);
            ++count;
        }
        if (value == exact) return;
        const auto index = static_cast<int64_t>(i);
        const double limit = limit_of(allowed, i);
        const double ratio = ratio_of(value, exact, limit);
        if (!(ratio > 1)) return;
        over.push_back(index);
        if (worst.size() == kMostWorst && ratio <= worst.back().first) return;
        const auto place =
            std::ranges::find_if(worst, [&](const auto& other) { return other.first < ratio; });
        worst.insert(place, {ratio, {index, value, exact, limit}});
        if (worst.size() > kMostWorst) worst.pop_back();
    });
    error.over = static_cast<int64_t>(over.size());
    for (const auto& [ratio, element] : worst)
        error.worst.push_back(element);
    if (squares > 0) error.slope = products / squares;
    const double mean = count > 0 ? sum / count : 0;
    const double variance = count > 1 ? (sum_of_squares / count - mean * mean) / count : 0;
    error.lean = variance > 0 ? mean / std::sqrt(variance) : 0;
    if (error.over < error.numel)
        if (const std::string place = shared_place(recorded.shape(), over); !place.empty())
            error.where = "all in " + place;
}

}  // namespace npuscope::diagnose
