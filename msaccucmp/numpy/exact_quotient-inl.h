// Division of many float32 by one divisor, with the bits of a division and without its cost.
// Included by numpy_chunks.cpp, once for each vector instruction set.
#if defined(NPUSCOPE_EXACT_QUOTIENT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NPUSCOPE_EXACT_QUOTIENT_INL
#undef NPUSCOPE_EXACT_QUOTIENT_INL
#else
#define NPUSCOPE_EXACT_QUOTIENT_INL
#endif

#include <cmath>
#include <hwy/highway.h>

#include "msaccucmp/numpy/numpy_pairwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::msaccucmp::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL || \
    (HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64)
constexpr bool kFused = true;
#else
constexpr bool kFused = false;  // a fused multiply-add would be a library call
#endif

/// Whether a divisor leaves room for exact remainders on both sides.
HWY_INLINE bool is_moderate(float divisor) {
    return divisor > 0x1p-60f && divisor < 0x1p50f;
}

/// Just divides.
class Division {
  public:
    static constexpr bool kIsModerate = false;
    explicit Division(float divisor) : divisor_(divisor) {}
    template <class D>
    HWY_INLINE hn::Vec<D> divide(D d, hn::Vec<D> a) const {
        return hn::Div(a, hn::Set(d, divisor_));
    }

  private:
    float divisor_;
};

/// a / b rounded to nearest, for moderate divisors and quotients that are 0 or matter only above
/// 2^-24, or dividends from 2^-24 to 1.
///
/// The reciprocal is held in two parts, so that the first quotient is off by less than a unit in
/// the last place; one step with the exact remainder then rounds it correctly. Source: P.
/// Markstein, IA-64 and Elementary Functions (2000), theorem 8.5. The remainder is exact since no
/// operand comes near the subnormal range.
class ReciprocalDivision {
  public:
    static constexpr bool kIsModerate = true;
    explicit ReciprocalDivision(float divisor)
        : divisor_(divisor),
          high_(1.0f / divisor),
          low_(std::fma(-divisor_, high_, 1.0f) * high_) {}

    template <class D>
    HWY_INLINE hn::Vec<D> divide(D d, hn::Vec<D> a) const {
        const auto quotient = hn::MulAdd(a, hn::Set(d, high_), hn::Mul(a, hn::Set(d, low_)));
        const auto remainder = hn::NegMulAdd(quotient, hn::Set(d, divisor_), a);
        return hn::MulAdd(remainder, hn::Set(d, high_), quotient);
    }

  private:
    float divisor_;
    float high_;
    float low_;
};

}  // namespace npuscope::msaccucmp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
