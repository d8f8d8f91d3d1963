#include "diagnose/judge/off_grid.h"

#include <cmath>
#include <vector>

namespace npuscope::diagnose {

namespace {

/// So many elements that are rounded to a format of 13 bits less are no chance.
constexpr size_t kFewestRounded = 4;
/// An element that was not rounded to the format, but computed in wider steps, is off by less than
/// this share of its half unit.
constexpr double kShareOfWider = 1.0 / 16;
/// A few terms of one size are a number of so many bits more, or of fewer.
constexpr int kBitsOfTerms = 6;

/// Whether it has few bits more: a sum, exact, of numbers of the format that are about as large.
bool is_sum_of_numbers(double value, const NumberFormat& format) {
    int exponent = 0;
    const double digits = std::ldexp(std::frexp(value, &exponent), format.bits + kBitsOfTerms);
    return digits == std::nearbyint(digits);
}

}  // namespace

std::optional<AllowedErrors> without_off_grid(const RecordedResult& result,
                                              std::span<const double> exact,
                                              const NumberFormat& results,
                                              std::span<const double> limit) {
    const NumberFormat recorded = format_of(result.elements.dtype());
    if (results.bits >= recorded.bits) return std::nullopt;
    const JudgedElements judged(result, exact);
    const Tensor wide = judged.recorded().cast(DType::kFloat64);
    const std::span<const double> values = wide.as<double>();
    size_t rounded = 0;
    std::vector<size_t> outside;
    for (size_t i = 0; i < values.size(); ++i) {
        const double expected = judged.expected()[i];
        const double error = std::abs(values[i] - expected);
        if (!std::isfinite(error) || std::abs(values[i]) > results.largest()) continue;
        if (results.rounded(values[i]) == values[i])
            rounded += error > 2 * recorded.half_unit(expected) ? 1 : 0;
        else if (error > kShareOfWider * results.half_unit(expected) &&
                 !is_sum_of_numbers(values[i], results))
            outside.push_back(i);
    }
    if (outside.empty() || rounded < kFewestRounded || outside.size() > rounded)
        return std::nullopt;
    AllowedErrors limits(limit.begin(), limit.end());
    for (const size_t i : outside)
        limits[i] = kShareOfWider * results.half_unit(exact[i]);
    return limits;
}

}  // namespace npuscope::diagnose
