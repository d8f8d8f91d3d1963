#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

bool all_finite(const Tensor& tensor) {
    return visit_dtype(tensor.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            return all_finite(tensor.as<T>());
        } else {
            return true;
        }
    });
}

double to_integral(double value, RoundMode mode) {
    switch (mode) {
        case RoundMode::kRint:
            return std::nearbyint(value);
        case RoundMode::kFloor:
            return std::floor(value);
        case RoundMode::kCeil:
            return std::ceil(value);
        case RoundMode::kRound:
            return std::round(value);
        case RoundMode::kTrunc:
            return std::trunc(value);
        case RoundMode::kOdd: {
            const double down = std::trunc(value);
            if (down == value || std::fmod(down, 2.0) != 0.0) return down;
            return down + std::copysign(1.0, value);
        }
    }
    __builtin_unreachable();
}

Float16 to_float16(float value, RoundMode mode) {
    if (!std::isfinite(value) || value == 0.0f) return npuscope::to_float16(value);
    int exponent = 0;
    (void)std::frexp(value, &exponent);
    // The grid of float16 around `value`: 11 significant bits, at least 2^-24.
    const double unit = std::ldexp(1.0, std::max(exponent - 11, -24));
    return npuscope::to_float16(to_integral(static_cast<double>(value) / unit, mode) * unit);
}

float to_hf32(float value, int dropped_bits, Hf32Tie tie) {
    if (!std::isfinite(value)) return value;
    uint32_t bits = std::bit_cast<uint32_t>(value);
    const uint32_t half = 1u << (dropped_bits - 1);
    const uint32_t kept_unit = half << 1;
    switch (tie) {
        case Hf32Tie::kEven:
            bits += half - 1 + ((bits >> dropped_bits) & 1u);
            break;
        case Hf32Tie::kAway:
            bits += half;
            break;
        case Hf32Tie::kTowardZero:
            bits += half - 1;
            break;
        case Hf32Tie::kTruncate:
            break;
    }
    return std::bit_cast<float>(bits & ~(kept_unit - 1));
}

}  // namespace npuscope::backend
