#include "msaccucmp/numpy/numpy_chunks.h"

#include "core/base/vector_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "msaccucmp/numpy/numpy_chunks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h: a guard would leave only the first target's copy.
#include "msaccucmp/numpy/numpy_terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::msaccucmp::HWY_NAMESPACE {

DifferenceSums difference(const float* x, const float* y, size_t count) {
    DifferenceTerms terms(x, y);
    const auto sums = PairwiseSums<DifferenceTerms>(terms).over(count);
    DifferenceSums out;
    out.xx = sums.f[0];
    out.yy = sums.f[1];
    out.dd = sums.f[2];
    out.abs = sums.f[3];
    out.rel = sums.f[4];
    out.x = sums.d[0];
    out.y = sums.d[1];
    terms.extremes(out);
    return out;
}

template <class Quotient>
CentredSums centred_by(const float* x, const float* y, size_t count, const Centres& centres) {
    using Terms = CentredTerms<Quotient>;
    Terms terms(x, y, centres);
    const auto sums = PairwiseSums<Terms>(terms).over(count);
    return {sums.f[0], sums.f[1], sums.f[2], sums.d[0], sums.d[1]};
}

CentredSums centred(const float* x, const float* y, size_t count, const Centres& centres) {
    // A quotient by a moderate norm that is not rounded correctly is below 2^-42, and so is what it
    // adds to the cosine.
    if (kFused && is_moderate(centres.p.range) && is_moderate(centres.q.range) &&
        is_moderate(centres.norm_x) && is_moderate(centres.norm_y))
        return centred_by<ReciprocalDivision>(x, y, count, centres);
    return centred_by<Division>(x, y, count, centres);
}

template <class Quotient, bool kIsPlain>
float divergence_by(const float* x, const float* y, size_t count, const Masses& masses) {
    using Terms = DivergenceTerms<Quotient, kIsPlain>;
    Terms terms(x, y, masses);
    return PairwiseSums<Terms>(terms).over(count).f[0];
}

float divergence(const float* x, const float* y, size_t count, const Masses& masses) {
    // Then all p and q lie between 2^-74 and 2^37.
    const auto is_plain = [](const Normaliser& by, float mass) {
        return is_moderate(by.range) && is_moderate(mass);
    };
    if (!is_plain(masses.p, masses.mass_p) || !is_plain(masses.q, masses.mass_q))
        return divergence_by<Division, false>(x, y, count, masses);
    return kFused ? divergence_by<ReciprocalDivision, true>(x, y, count, masses)
                  : divergence_by<Division, true>(x, y, count, masses);
}

float plain(const float* x, size_t count) {
    PlainTerms terms{x};
    return PairwiseSums<PlainTerms>(terms).over(count).f[0];
}

}  // namespace npuscope::msaccucmp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope::msaccucmp {

HWY_EXPORT(difference);
HWY_EXPORT(centred);
HWY_EXPORT(divergence);
HWY_EXPORT(plain);

DifferenceSums difference_sums(const float* x, const float* y, size_t count) {
    return HWY_DYNAMIC_DISPATCH(difference)(x, y, count);
}

CentredSums centred_sums(const float* x, const float* y, size_t count, const Centres& centres) {
    return HWY_DYNAMIC_DISPATCH(centred)(x, y, count, centres);
}

float divergence_sum(const float* x, const float* y, size_t count, const Masses& masses) {
    return HWY_DYNAMIC_DISPATCH(divergence)(x, y, count, masses);
}

float plain_sum(const float* x, size_t count) {
    return HWY_DYNAMIC_DISPATCH(plain)(x, count);
}

}  // namespace npuscope::msaccucmp
#endif
