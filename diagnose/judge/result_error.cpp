#include "diagnose/judge/result_error.h"

#include <algorithm>
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

}  // namespace

compare::Introduced measure_error(const Tensor& recorded,
                                  std::span<const double> expected,
                                  const NumberFormat& results,
                                  const AllowedError& allowed) {
    compare::Introduced error{.numel = recorded.numel()};
    const double largest = std::min(results.largest(), format_of(recorded.dtype()).largest());
    double worst = 0;
    double scale = 0;
    visit_elements(recorded, [&](size_t i, double value) {
        const double exact = expected[i];
        if (is_number(exact)) scale = std::max(scale, std::abs(exact));
        if (value == exact) return;
        const double ratio = ratio_of(value, exact, allowed(static_cast<int64_t>(i)));
        // Formats wider than the class's may hold it all the same.
        const bool holds = is_number(value) && ratio <= 1;
        if (!holds && is_overflow(value, exact, largest)) {
            ++error.overflowed;
            return;
        }
        if (is_number(value) && is_number(exact)) worst = std::max(worst, std::abs(value - exact));
        error.ratio = std::max(error.ratio, ratio);
    });
    error.relative = std::isinf(error.ratio) ? kInfinity : scale > 0 ? worst / scale : worst;
    return error;
}

void describe(const Tensor& recorded,
              std::span<const double> expected,
              const AllowedError& allowed,
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
        const double limit = allowed(index);
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
