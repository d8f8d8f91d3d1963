#include "npu_backend/numerics/cast.h"

#include <limits>

#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

namespace {

/// float32 and narrower go to half without the detour over double.
template <class To, class From>
To nearest(From value) {
    if constexpr (kIsHalf<To> && kIsFloat<From> && !std::is_same_v<From, double>) {
        const float single = widen<float>(value);
        if constexpr (std::is_same_v<To, Float16>) {
            return npuscope::to_float16(single);
        } else {
            return to_bfloat16(single);
        }
    } else if constexpr (std::is_integral_v<From> && kIsFloat<To> && !kIsHalf<To>) {
        return static_cast<To>(value);  // a 64-bit integer rounds once
    } else {
        return round_nearest<To>(to_double(value));
    }
}

template <class From, class To>
void to_float_elements(std::span<const From> in,
                       std::span<To> out,
                       OverflowMode mode,
                       FloatStatus& status) {
    bool finite_in = true;
    bool overflow = false;
    for (size_t i = 0; i < in.size(); ++i) {
        To result = nearest<To>(in[i]);
        if (!is_finite(result)) [[unlikely]] {
            if (is_finite(in[i]))
                overflow = true;
            else
                finite_in = false;
            if (saturates<To>(mode)) result = saturated(result);
        }
        out[i] = result;
    }
    if (overflow) status.raise(FloatStatus::kOverflow);
    if (!finite_in) status.raise(FloatStatus::kVectorInputNonFinite);
}

/// Toward zero and clamped; nan becomes 0.
template <class To, class From>
To clamped(From value, bool& overflow) {
    if constexpr (kIsFloat<From>) {
        const double whole = std::trunc(to_double(value));
        if (whole != whole) return 0;
        const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
        const auto lowest = static_cast<double>(std::numeric_limits<To>::min());
        if (whole >= above || whole < lowest) {
            overflow |= std::isfinite(whole);
            return whole > 0 ? std::numeric_limits<To>::max() : std::numeric_limits<To>::min();
        }
        return static_cast<To>(whole);
    } else {
        if (std::in_range<To>(value)) return static_cast<To>(value);
        overflow = true;
        return value > 0 ? std::numeric_limits<To>::max() : std::numeric_limits<To>::min();
    }
}

template <class From, class To>
void to_integer_elements(std::span<const From> in, std::span<To> out, FloatStatus& status) {
    bool overflow = false;
    bool ignored = false;
    bool negative = false;
    for (size_t i = 0; i < in.size(); ++i) {
        if constexpr (std::is_unsigned_v<To>) negative |= to_double(in[i]) < 0;
        if constexpr (sizeof(To) == 1) {
            out[i] = static_cast<To>(clamped<int32_t>(in[i], ignored));
        } else {
            out[i] = clamped<To>(in[i], overflow);
        }
    }
    if (negative) status.raise(FloatStatus::kNegativeToUnsigned);
    if (overflow) status.raise(FloatStatus::kOverflow);
    if (!all_finite(in)) status.raise(FloatStatus::kVectorInputNonFinite);
}

}  // namespace

Tensor cast_tensor(const Tensor& source,
                   DType target,
                   const Numerics& numerics,
                   FloatStatus& status) {
    if (source.dtype() == target) return source;
    Tensor result(target, source.shape());
    visit_dtype(source.dtype(), [&]<class From>() {
        visit_dtype(target, [&]<class To>() {
            if constexpr (kIsFloat<To>) {
                if constexpr (!std::is_same_v<From, To>)
                    to_float_elements(source.as<From>(),
                                      result.mutable_as<To>(),
                                      numerics.overflow_mode(),
                                      status);
            } else if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
                result = source.cast(target);
            } else {
                if (numerics.reference())
                    result = source.cast(target);
                else
                    to_integer_elements(source.as<From>(), result.mutable_as<To>(), status);
            }
        });
    });
    return result;
}

}  // namespace npuscope::backend
