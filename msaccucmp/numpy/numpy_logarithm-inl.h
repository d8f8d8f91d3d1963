// The natural logarithm of the lanes of a vector. Included by numpy_chunks.cpp, once for each
// vector instruction set.
#if defined(NPUSCOPE_NUMPY_LOGARITHM_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NPUSCOPE_NUMPY_LOGARITHM_INL
#undef NPUSCOPE_NUMPY_LOGARITHM_INL
#else
#define NPUSCOPE_NUMPY_LOGARITHM_INL
#endif

#include <hwy/highway.h>
#include <limits>

#include "msaccucmp/numpy/numpy_pairwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::msaccucmp::HWY_NAMESPACE {

/// ln of positive normal numbers, within 0.8 units in the last place.
/// Source of the polynomial: S. Moshier, Cephes mathematical library, logf.
template <class D>
HWY_INLINE hn::Vec<D> ordinary_logarithm(D d, hn::Vec<D> value) {
    using V = hn::Vec<D>;
    const hn::RebindToSigned<D> ints;
    const auto splat = [d](float constant) { return hn::Set(d, constant); };
    // value = m 2^e with m in [sqrt(1/2), sqrt(2)).
    const auto offset = hn::Sub(hn::BitCast(ints, value), hn::Set(ints, 0x3f3504f3));
    const V e = hn::ConvertTo(d, hn::ShiftRight<23>(offset));
    const V m = hn::BitCast(
        d, hn::Add(hn::And(offset, hn::Set(ints, 0x007fffff)), hn::Set(ints, 0x3f3504f3)));
    const V z = hn::Sub(m, splat(1));
    const V zz = hn::Mul(z, z);
    // Pairs of terms first: a long chain of operations would keep the divider waiting.
    const auto pair = [&](float low, float high) {
        return hn::Add(splat(low), hn::Mul(splat(high), z));
    };
    const V z4 = hn::Mul(zz, zz);
    const V first = hn::Add(pair(3.3333331174e-1f, -2.4999993993e-1f),
                            hn::Mul(pair(2.0000714765e-1f, -1.6668057665e-1f), zz));
    const V second = hn::Add(pair(1.4249322787e-1f, -1.2420140846e-1f),
                             hn::Mul(pair(1.1676998740e-1f, -1.1514610310e-1f), zz));
    const V last = hn::Mul(splat(7.0376836292e-2f), z4);
    const V polynomial = hn::Add(first, hn::Mul(hn::Add(second, last), z4));
    const V small =
        hn::Add(hn::Mul(hn::Mul(polynomial, z), zz), hn::Mul(e, splat(-2.12194440e-4f)));
    // e ln 2 + z - z^2/2: the roundings of the two large sums are carried along.
    const V large = hn::Mul(e, splat(0.693359375f));  // exact, the constant is short
    const V half = hn::Mul(zz, splat(0.5f));
    const V sum = hn::Add(large, z);
    const V sum_error = hn::Sub(z, hn::Sub(sum, large));
    const V difference = hn::Sub(sum, half);
    const V difference_error = hn::Sub(hn::Sub(sum, difference), half);
    return hn::Add(difference, hn::Add(hn::Add(sum_error, difference_error), small));
}

/// ln of numbers that are not negative; 0, inf and NaN as in C.
template <class D>
HWY_INLINE hn::Vec<D> logarithm(D d, hn::Vec<D> value) {
    const auto splat = [d](float constant) { return hn::Set(d, constant); };
    constexpr float kSmallestNormal = 1.17549435e-38f;
    constexpr float kScale = 8388608.0f;  // 2^23 makes subnormals normal
    constexpr float kLogScale = 15.942385152878742f;
    const auto infinity = splat(std::numeric_limits<float>::infinity());
    const auto tiny = hn::Lt(value, splat(kSmallestNormal));
    auto result = ordinary_logarithm(d, hn::IfThenElse(tiny, hn::Mul(value, splat(kScale)), value));
    result = hn::Sub(result, hn::IfThenElseZero(tiny, splat(kLogScale)));
    // NaN and infinity stay what they are.
    result = hn::IfThenElse(hn::Lt(value, infinity), result, value);
    return hn::IfThenElse(hn::Eq(value, hn::Zero(d)), hn::Neg(infinity), result);
}

}  // namespace npuscope::msaccucmp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
