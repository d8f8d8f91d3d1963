#include "compare/msaccucmp/numpy_chunks.h"

// Compiled once for each vector instruction set that is not wider than eight floats, which are the
// eight running sums of NumPy's scheme.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/msaccucmp/numpy_chunks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h: a guard would leave only the first target's copy.
#include "compare/msaccucmp/numpy_terms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::compare::msaccucmp::HWY_NAMESPACE {

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

CentredSums centred(const float* x, const float* y, size_t count, const Centres& centres) {
    CentredTerms terms(x, y, centres);
    const auto sums = PairwiseSums<CentredTerms>(terms).over(count);
    return {sums.f[0], sums.f[1], sums.f[2], sums.d[0], sums.d[1]};
}

float divergence(const float* x, const float* y, size_t count, const Masses& masses) {
    DivergenceTerms terms(x, y, masses);
    return PairwiseSums<DivergenceTerms>(terms).over(count).f[0];
}

float plain(const float* x, size_t count) {
    PlainTerms terms{x};
    return PairwiseSums<PlainTerms>(terms).over(count).f[0];
}

}  // namespace npuscope::compare::msaccucmp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope::compare::msaccucmp {

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

}  // namespace npuscope::compare::msaccucmp
#endif
