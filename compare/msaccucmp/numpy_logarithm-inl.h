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

#include "compare/msaccucmp/numpy_pairwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::compare::msaccucmp::HWY_NAMESPACE {

/// ln of positive numbers to about one unit in the last place; 0, inf and NaN as in C.
/// Source of the polynomial: S. Moshier, Cephes mathematical library, logf.
HWY_INLINE V logarithm(V value) {
    const Ints ints;
    constexpr float kSmallestNormal = 1.17549435e-38f;
    constexpr float kScale = 8388608.0f;  // 2^23 makes subnormals normal
    const auto tiny = hn::Lt(value, splat(kSmallestNormal));
    const V x = hn::IfThenElse(tiny, hn::Mul(value, splat(kScale)), value);
    // value = m 2^e with m in [sqrt(1/2), sqrt(2)).
    const auto bits = hn::BitCast(ints, x);
    const auto offset = hn::Sub(bits, hn::Set(ints, 0x3f3504f3));
    V e = hn::ConvertTo(Floats(), hn::ShiftRight<23>(offset));
    e = hn::Sub(e, hn::IfThenElseZero(tiny, splat(23)));
    const V m = hn::BitCast(
        Floats(), hn::Add(hn::And(offset, hn::Set(ints, 0x007fffff)), hn::Set(ints, 0x3f3504f3)));
    const V z = hn::Sub(m, splat(1));
    const V zz = hn::Mul(z, z);
    constexpr float kPolynomial[] = {-1.1514610310e-1f,
                                     1.1676998740e-1f,
                                     -1.2420140846e-1f,
                                     1.4249322787e-1f,
                                     -1.6668057665e-1f,
                                     2.0000714765e-1f,
                                     -2.4999993993e-1f,
                                     3.3333331174e-1f};
    V y = splat(7.0376836292e-2f);
    for (const float coefficient : kPolynomial)
        y = hn::Add(hn::Mul(y, z), splat(coefficient));
    y = hn::Mul(hn::Mul(y, z), zz);
    y = hn::Add(y, hn::Mul(e, splat(-2.12194440e-4f)));
    y = hn::Sub(y, hn::Mul(zz, splat(0.5f)));
    const V result = hn::Add(hn::Add(z, y), hn::Mul(e, splat(0.693359375f)));
    // NaN and infinity stay what they are.
    const V infinity = splat(std::numeric_limits<float>::infinity());
    const auto ordinary = hn::Lt(value, infinity);
    const V special = hn::IfThenElse(ordinary, result, value);
    return hn::IfThenElse(hn::Eq(value, hn::Zero(Floats())), hn::Neg(infinity), special);
}

}  // namespace npuscope::compare::msaccucmp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
