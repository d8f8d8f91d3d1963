#include "msaccucmp/columns/algorithms.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace npuscope::msaccucmp {

namespace {

constexpr double kEpsilon = 2.220446049250313e-16;
constexpr double kSmallestShown = 0.001;

enum Algorithm {
    kCosine,
    kMaxAbsolute,
    kAccumulatedRelative,
    kRelativeEuclidean,
    kDivergence,
    kDeviation,
    kMeanAbsolute,
    kRootMeanSquare,
    kMaxRelative,
    kMeanRelative,
};

/// A column's text and an optional reason.
struct Outcome {
    std::string value;
    std::string reason;
};

std::string decimals(double value, int digits) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    // The largest double has 309 digits before the point.
    std::array<char, 400> text;
    const auto end = std::to_chars(
        text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits);
    return {text.data(), end.ptr};
}

Outcome all_zero(std::string_view name) {
    return {"NaN",
            "CosineSimilarity has no value: all elements of " + std::string(name) + " are zero."};
}

/// Bool pairs are measured by counting, in double.
Outcome bool_cosine(const PreparedPair& pair) {
    double x = 0;
    double y = 0;
    double both = 0;
    constexpr size_t kPiece = 8192;
    FloatBuffer x_buffer;
    FloatBuffer y_buffer;
    for (size_t first = 0; first < pair.x.count(); first += kPiece) {
        const size_t count = std::min(kPiece, pair.x.count() - first);
        const float* a = pair.x.piece(first, count, x_buffer);
        const float* b = pair.y.piece(first, count, y_buffer);
        for (size_t i = 0; i < count; ++i) {
            x += a[i];
            y += b[i];
            both += a[i] * b[i];
        }
    }
    if (x == 0 && y == 0) return {"1.0", {}};
    if (x == 0 || y == 0) return all_zero(x == 0 ? pair.x_name : pair.y_name);
    return {six_decimals(std::min(1.0, both * ((1 / std::sqrt(x)) * (1 / std::sqrt(y))))), {}};
}

Outcome cosine(const PreparedPair& pair, const PairNumbers& numbers) {
    if (pair.is_scalar) return {six_decimals(1), "This tensor is a scalar."};
    if (pair.x.count() == 0 && pair.empty_rows == 0) return {six_decimals(0), {}};
    if (pair.x.count() == 0 && pair.empty_rows > 1)
        return {"NaN", "CosineSimilarity has no value: the tensor has no elements."};
    if (pair.are_bools) return bool_cosine(pair);
    const float norm_x = std::sqrt(numbers.sum_xx);
    const float norm_y = std::sqrt(numbers.sum_yy);
    const auto epsilon = static_cast<float>(kEpsilon);
    if (norm_x <= epsilon && norm_y < epsilon) return {"1.0", {}};
    const std::string_view zero = std::sqrt(norm_x) <= epsilon   ? pair.x_name
                                  : std::sqrt(norm_y) <= epsilon ? pair.y_name
                                                                 : std::string_view{};
    if (!zero.empty()) return all_zero(zero);
    const float value = numbers.cosine;
    return {six_decimals(value > 1.0f ? 1.0f : value), {}};
}

Outcome relative_euclidean(const PreparedPair& pair, const PairNumbers& numbers) {
    const double golden = std::pow(static_cast<double>(numbers.sum_yy), 0.5);
    if (golden <= kEpsilon) return {six_decimals(0), {}};
    if (pair.are_bools)
        return {"NaN", "RelativeEuclideanDistance has no value: bools cannot be subtracted."};
    const float ratio = numbers.sum_dd / numbers.sum_yy;
    return {six_decimals(std::pow(static_cast<double>(ratio), 0.5)), {}};
}

Outcome divergence(const PreparedPair& pair, const PairNumbers& numbers) {
    float value = numbers.divergence;
    if (std::fabs(value) < static_cast<float>(kEpsilon)) value = 0;
    std::string reason;
    if (std::isinf(value) && value > 0)
        reason = "KullbackLeiblerDivergence is infinite: a normalised element of " +
                 std::string(pair.y_name) + " is 0.";
    return {six_decimals(value), reason};
}

Outcome deviation(const PairNumbers& numbers) {
    const auto shown = [](double value) {
        return decimals(std::fabs(value) < kSmallestShown ? 0.0 : value, 3);
    };
    return {"(" + shown(numbers.mean_x) + ";" + shown(numbers.deviation_x) + "),(" +
                shown(numbers.mean_y) + ";" + shown(numbers.deviation_y) + ")",
            {}};
}

float mean_of(float sum, size_t count) {
    return static_cast<float>(static_cast<double>(sum) / static_cast<double>(count));
}

Outcome outcome_of(int algorithm, const PreparedPair& pair, const PairNumbers& numbers) {
    const std::string name(kAlgorithmNames[static_cast<size_t>(algorithm)]);
    if (pair.are_bools && algorithm != kCosine && algorithm != kRelativeEuclidean)
        return {"NaN", name + " is not defined for bool tensors."};
    const bool needs_an_element =
        algorithm == kMaxAbsolute || algorithm == kDivergence || algorithm == kMaxRelative;
    if (pair.x.count() == 0 && needs_an_element)
        return {"NaN", name + " has no value: the tensor has no elements."};
    switch (algorithm) {
        case kCosine:
            return cosine(pair, numbers);
        case kMaxAbsolute:
            return {six_decimals(numbers.max_abs), {}};
        case kAccumulatedRelative:
            return {six_decimals(numbers.sum_rel), {}};
        case kRelativeEuclidean:
            return relative_euclidean(pair, numbers);
        case kDivergence:
            return divergence(pair, numbers);
        case kDeviation:
            return deviation(numbers);
        case kMeanAbsolute:
            return {six_decimals(mean_of(numbers.sum_abs, pair.x.count())), {}};
        case kRootMeanSquare:
            return {six_decimals(std::sqrt(mean_of(numbers.sum_dd, pair.x.count()))), {}};
        case kMaxRelative:
            return {six_decimals(numbers.max_rel), {}};
        default:
            return {six_decimals(mean_of(numbers.sum_rel, pair.x.count())), {}};
    }
}

Wanted wanted_by(const PreparedPair& pair, const std::vector<int>& selected) {
    const auto has = [&](int algorithm) {
        return std::find(selected.begin(), selected.end(), algorithm) != selected.end();
    };
    Wanted wanted;
    wanted.cosine = has(kCosine) && !pair.is_scalar;
    wanted.divergence = has(kDivergence) && !pair.are_bools;
    wanted.deviation = has(kDeviation) && !pair.are_bools;
    return wanted;
}

}  // namespace

std::string six_decimals(double value) {
    return decimals(value, 6);
}

AlgorithmTexts run_algorithms(const PreparedPair& pair,
                              const std::vector<int>& selected,
                              int threads) {
    const PairNumbers numbers = pair_numbers(pair.x, pair.y, wanted_by(pair, selected), threads);
    AlgorithmTexts texts;
    for (const int algorithm : selected) {
        Outcome outcome = outcome_of(algorithm, pair, numbers);
        texts.values.push_back(std::move(outcome.value));
        if (!outcome.reason.empty()) texts.reasons.push_back(std::move(outcome.reason));
    }
    return texts;
}

}  // namespace npuscope::msaccucmp
