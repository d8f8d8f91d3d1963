#include "compare/standards/reference_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace npuscope::compare {

namespace {

/// Added to the size of what is divided by.
constexpr double kBesideZero = 1e-7;

double power_of_two(int exponent) {
    return std::ldexp(1.0, exponent);
}

bool is_no_number(double value) {
    return !std::isfinite(value);
}

bool stand_alike(double one, double other) {
    return one == other || (std::isnan(one) && std::isnan(other));
}

enum class SpecialFate : uint8_t { kRight, kWrong, kUnexplained };

/// Where infinities are results like others.
SpecialFate fate_of(double actual, double reference, const double* third) {
    if (is_no_number(reference)) {
        if (stand_alike(actual, reference)) return SpecialFate::kRight;
        if (third == nullptr || stand_alike(*third, reference)) return SpecialFate::kWrong;
        return SpecialFate::kUnexplained;
    }
    if (third == nullptr) return SpecialFate::kWrong;
    if (stand_alike(actual, *third)) return SpecialFate::kRight;
    return is_no_number(*third) ? SpecialFate::kUnexplained : SpecialFate::kWrong;
}

}  // namespace

SmallValues small_values_of(DType dtype, ComputeType computed) {
    if (dtype == DType::kFloat16) return {power_of_two(-11), power_of_two(-16)};
    if (dtype == DType::kBFloat16) return {power_of_two(-8), power_of_two(-16)};
    if (computed == ComputeType::kHFloat32) return {power_of_two(-12), power_of_two(-28)};
    return {power_of_two(-14), power_of_two(-30)};
}

double community_threshold(DType dtype, ComputeType computed) {
    if (dtype == DType::kFloat16) return power_of_two(-10);
    if (dtype == DType::kBFloat16) return power_of_two(-7);
    if (dtype == DType::kFloat32 && computed == ComputeType::kHFloat32) return power_of_two(-11);
    return power_of_two(-13);
}

ReferenceError reference_error(std::span<const double> actual,
                               std::span<const double> reference,
                               const SmallValues& small,
                               std::span<const uint8_t> counted) {
    ReferenceError error;
    double relative = 0;
    double squares = 0;
    int64_t count = 0;
    for (size_t i = 0; i < actual.size(); ++i) {
        if (!counted.empty() && counted[i] == 0) continue;
        ++count;
        const double size = std::abs(reference[i]);
        const double apart = std::abs(actual[i] - reference[i]);
        const double share = apart / (size + kBesideZero);
        // NaN stays, as in NumPy's maximum.
        if (!(share <= error.mare)) error.mare = std::isnan(error.mare) ? error.mare : share;
        relative += share;
        squares += apart * apart;
        if (size < small.threshold && apart > small.error) ++error.small_wrong;
    }
    if (count == 0) return error;
    error.mere = relative / static_cast<double>(count);
    error.rmse = std::sqrt(squares / static_cast<double>(count));
    return error;
}

double error_ratio(double own, double third) {
    if (third > 0) return own / third;
    return own > 0 ? std::numeric_limits<double>::infinity() : 1.0;
}

SpecialValues special_values(std::span<const double> actual,
                             std::span<const double> reference,
                             std::span<const double> third,
                             bool infinities_count,
                             std::span<uint8_t> counted) {
    SpecialValues found;
    for (size_t i = 0; i < actual.size(); ++i) {
        counted[i] = is_no_number(actual[i]) || is_no_number(reference[i]) ? 0 : 1;
        if (counted[i] != 0) continue;
        ++found.count;
        if (!infinities_count) {
            found.wrong += std::isnan(actual[i]) != std::isnan(reference[i]) ? 1 : 0;
            continue;
        }
        const SpecialFate fate =
            fate_of(actual[i], reference[i], third.empty() ? nullptr : &third[i]);
        found.wrong += fate == SpecialFate::kWrong ? 1 : 0;
        found.unexplained += fate == SpecialFate::kUnexplained ? 1 : 0;
    }
    return found;
}

}  // namespace npuscope::compare
