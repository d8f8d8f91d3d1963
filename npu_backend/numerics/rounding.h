// Rounding of one instruction's exact result to a float dtype, with overflow table and status bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "core/event/observer.h"
#include "core/tensor/tensor.h"
#include "npu_backend/chips/device.h"

namespace npuscope::backend {

template <class T>
inline constexpr bool kIsFloat = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16> ||
                                 std::is_same_v<T, float> || std::is_same_v<T, double>;
template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

/// The type that a recipe with float32 inside computes in: float64 for float64, else float32.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class W, class T>
W widen(T value) {
    if constexpr (kIsHalf<T>) {
        return static_cast<W>(to_float(value));
    } else {
        return static_cast<W>(value);
    }
}

template <class T>
bool is_finite(T value) {
    if constexpr (std::is_same_v<T, Float16>) {
        return (value.bits & 0x7c00u) != 0x7c00u;
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return (value.bits & 0x7f80u) != 0x7f80u;
    } else if constexpr (std::is_floating_point_v<T>) {
        return std::isfinite(value);
    } else {
        return true;
    }
}

template <class T>
bool is_zero(T value) {
    if constexpr (kIsHalf<T>) {
        return (value.bits & 0x7fffu) == 0;
    } else {
        return value == T{0};
    }
}

template <class T>
bool all_finite(std::span<const T> values) {
    bool finite = true;
    for (const T& value : values)
        finite &= is_finite(value);
    return finite;
}

/// True for integer tensors.
[[nodiscard]] bool all_finite(const Tensor& tensor);

/// Round to nearest, ties to even; overflow gives infinity.
template <class T>
T round_nearest(double exact) {
    if constexpr (std::is_same_v<T, Float16>) {
        return to_float16(exact);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return to_bfloat16(exact);
    } else {
        return static_cast<T>(exact);
    }
}

/// Whether results of T saturate: half ones in both saturating modes, float32 in kSaturateAll only,
/// float64 never.
template <class T>
constexpr bool saturates(OverflowMode mode) {
    if constexpr (kIsHalf<T>) {
        return mode != OverflowMode::kInfNan;
    } else {
        return std::is_same_v<T, float> && mode == OverflowMode::kSaturateAll;
    }
}

/// What saturation mode writes instead of inf and nan: the largest finite value of that sign, and
/// +0. Source: boundary tables of the Ascend C vector API.
template <class T>
T saturated(T value) {
    if constexpr (std::is_same_v<T, Float16>) {
        if ((value.bits & 0x7fffu) > 0x7c00u) return {0};
        return {static_cast<uint16_t>((value.bits & 0x8000u) | 0x7bffu)};
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        if ((value.bits & 0x7fffu) > 0x7f80u) return {0};
        return {static_cast<uint16_t>((value.bits & 0x8000u) | 0x7f7fu)};
    } else {
        if (value != value) return T{0};
        return std::copysign(std::numeric_limits<T>::max(), value);
    }
}

/// Stores the results of one instruction and collects its status.
///
/// Overflow is raised when finite inputs give a result beyond the largest finite value; inf and nan
/// that came in raise nothing here. Threads: one object a thread, statuses are merged.
template <class T>
class Rounder {
  public:
    explicit Rounder(OverflowMode mode,
                     uint64_t overflow_bit = FloatStatus::kOverflow,
                     uint64_t underflow_bit = FloatStatus::kUnderflow)
        : mode_(mode), overflow_bit_(overflow_bit), underflow_bit_(underflow_bit) {}

    /// `inputs_finite()` is asked only when the result is not finite.
    template <class InputsFinite>
    T operator()(double exact, InputsFinite&& inputs_finite) {
        T result = round_nearest<T>(exact);
        if (!is_finite(result)) [[unlikely]] {
            if (exact == exact && inputs_finite()) status_.raise(overflow_bit_);
            if (saturates<T>(mode_)) result = saturated(result);
        } else if (exact != 0.0 && is_zero(result)) [[unlikely]] {
            status_.raise(underflow_bit_);
        }
        return result;
    }

    [[nodiscard]] FloatStatus status() const { return status_; }

  private:
    OverflowMode mode_;
    uint64_t overflow_bit_;
    uint64_t underflow_bit_;
    FloatStatus status_;
};

/// Bits of T's significand, and its smallest normal value.
template <class T>
inline constexpr int kSignificandBits = std::is_same_v<T, Float16>    ? 11
                                        : std::is_same_v<T, BFloat16> ? 8
                                        : std::is_same_v<T, float>    ? 24
                                                                      : 53;
template <class T>
inline constexpr double kSmallestNormal = std::is_same_v<T, Float16>  ? 0x1p-14
                                          : std::is_same_v<T, double> ? 0x1p-1022
                                                                      : 0x1p-126;

/// 0 of the same sign for a subnormal of T.
template <class T>
double flushed(double value) {
    return std::fabs(value) < kSmallestNormal<T> ? std::copysign(0.0, value) : value;
}

/// The nearest T to `exact`, moved by `ulps` units of its last place; up or down is settled by the
/// bits of `input`, so that equal inputs err alike on every machine.
template <class T>
double moved_by_ulps(double exact, double input, int ulps) {
    const double nearest = widen<double>(round_nearest<T>(exact));
    if (!std::isfinite(nearest) || nearest == 0.0) return nearest;
    uint64_t bits = std::bit_cast<uint64_t>(input) * 0x9E3779B97F4A7C15u;
    bits ^= bits >> 31;
    const int exponent = std::max(std::ilogb(nearest), std::ilogb(kSmallestNormal<T>));
    const double unit = std::ldexp(1.0, exponent - kSignificandBits<T> + 1);
    return nearest + ((bits & 1) != 0 ? ulps : -ulps) * unit;
}

/// Ways to leave out bits, by the names of the Ascend C Cast instruction.
enum class RoundMode : uint8_t { kRint, kFloor, kCeil, kRound, kTrunc, kOdd };

/// Rounds a finite float32 to float16's grid in the given mode; overflow gives infinity.
/// Source: precision conversion rules of Ascend C.
[[nodiscard]] Float16 to_float16(float value, RoundMode mode);
/// The integral value in the given mode (kRound: ties away from zero).
[[nodiscard]] double to_integral(double value, RoundMode mode);

/// float32 with the low `dropped_bits` of the significand rounded away: 12 on Atlas A2, 13 on
/// Ascend 950. inf and nan stay.
[[nodiscard]] float to_hf32(float value, int dropped_bits = 12, Hf32Tie tie = Hf32Tie::kEven);

}  // namespace npuscope::backend
