// Eight double lanes and sixteen float32 lanes in vector registers of any width. Included once for
// each vector instruction set.
#if defined(NPUSCOPE_DOUBLE_LANES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NPUSCOPE_DOUBLE_LANES_INL
#undef NPUSCOPE_DOUBLE_LANES_INL
#else
#define NPUSCOPE_DOUBLE_LANES_INL
#endif

#include <cstddef>
#include <hwy/highway.h>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace npuscope::compare::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kLanes = 8;
using Doubles = hn::CappedTag<double, kLanes>;
using Narrow = hn::Rebind<float, Doubles>;
using VD = hn::Vec<Doubles>;
constexpr size_t kWidth = hn::MaxLanes(Doubles());
constexpr size_t kParts = kLanes / kWidth;

HWY_INLINE VD all(double value) {
    return hn::Set(Doubles(), value);
}

/// A value in each of the eight lanes.
struct D8 {
    VD v[kParts];

    explicit HWY_INLINE D8(double value) {
        for (size_t i = 0; i < kParts; ++i)
            v[i] = all(value);
    }
    HWY_INLINE double lane(size_t i) const {
        double values[kLanes];
        for (size_t part = 0; part < kParts; ++part)
            hn::StoreU(v[part], Doubles(), values + part * kWidth);
        return values[i];
    }
    HWY_INLINE double sum() const {
        double total = 0;
        for (size_t i = 0; i < kLanes; ++i)
            total += lane(i);
        return total;
    }
    HWY_INLINE double most() const {
        double most = lane(0);
        for (size_t i = 1; i < kLanes; ++i)
            most = lane(i) > most ? lane(i) : most;
        return most;
    }
};

/// Lanes part * kWidth on of the eight floats from `from` on, as doubles.
HWY_INLINE VD widened(const float* from, size_t part) {
    return hn::PromoteTo(Doubles(), hn::LoadU(Narrow(), from + part * kWidth));
}

/// ln of positive normal numbers, to less than one unit in the last place.
/// Source of the polynomial: FreeBSD msun, e_log.c (Sun Microsystems, 1993).
HWY_INLINE VD logarithm(VD value) {
    const hn::RebindToSigned<Doubles> ints;
    // value = m 2^e with m in [sqrt(1/2), sqrt(2)).
    constexpr int64_t kSqrtHalf = 0x3fe6a09e00000000;
    const auto offset = hn::Sub(hn::BitCast(ints, value), hn::Set(ints, kSqrtHalf));
    // The exponent as double without an integer conversion: 2^52 + 2^51 + e, minus the constant.
    constexpr int64_t kMagicBits = 0x4338000000000000;
    constexpr double kMagic = 6755399441055744.0;
    const auto exponent = hn::ShiftRight<52>(offset);
    const VD e =
        hn::Sub(hn::BitCast(Doubles(), hn::Add(exponent, hn::Set(ints, kMagicBits))), all(kMagic));
    const VD m = hn::BitCast(Doubles(),
                             hn::Add(hn::And(offset, hn::Set(ints, int64_t{0x000fffffffffffff})),
                                     hn::Set(ints, kSqrtHalf)));
    const VD f = hn::Sub(m, all(1));
    const VD s = hn::Div(f, hn::Add(f, all(2)));
    const VD z = hn::Mul(s, s);
    constexpr double kPolynomial[] = {1.531383769920937332e-01,
                                      1.818357216161805012e-01,
                                      2.222219843214978396e-01,
                                      2.857142874366239149e-01,
                                      3.999999999940941908e-01,
                                      6.666666666666735130e-01};
    VD r = all(1.479819860511658591e-01);
    for (const double coefficient : kPolynomial)
        r = hn::Add(hn::Mul(r, z), all(coefficient));
    r = hn::Mul(r, z);
    const VD half = hn::Mul(all(0.5), hn::Mul(f, f));
    const VD low =
        hn::Add(hn::Mul(s, hn::Add(half, r)), hn::Mul(e, all(1.90821492927058770002e-10)));
    return hn::Sub(hn::Mul(e, all(6.93147180369123816490e-01)), hn::Sub(hn::Sub(half, low), f));
}

}  // namespace npuscope::compare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
