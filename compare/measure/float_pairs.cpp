#include "compare/measure/float_pairs.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "compare/measure/pair_terms.h"
#include "core/base/vector_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/measure/float_pairs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "compare/measure/double_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::compare::HWY_NAMESPACE {

constexpr size_t kStep = 16;  ///< pairs of one round
/// Far enough ahead for the memory to be ready: 2 KB.
constexpr size_t kPrefetch = 512;

using Floats = hn::CappedTag<float, kStep>;
using Ints = hn::RebindToSigned<Floats>;
using Unsigned = hn::RebindToUnsigned<Floats>;
using VF = hn::Vec<Floats>;
constexpr size_t kFloatWidth = hn::MaxLanes(Floats());

/// Bits as integers that follow the order of the values; -0 and +0 are equal.
HWY_INLINE hn::Vec<Ints> ordered(VF value) {
    const Ints ints;
    const auto bits = hn::BitCast(ints, value);
    const auto sign = hn::ShiftRight<31>(bits);
    const auto magnitude = hn::And(bits, hn::Set(ints, 0x7fffffff));
    return hn::Sub(hn::Xor(magnitude, sign), sign);
}

/// The running values of one tile.
class PairSums {
  public:
    HWY_INLINE PairSums()
        : tt_(0),
          gg_(0),
          tg_(0),
          dd_(0),
          abs_(0),
          rel_(0),
          t_(0),
          g_(0),
          max_d_(0),
          max_rel_(0),
          low_t_(hn::Set(Floats(), std::numeric_limits<float>::infinity())),
          low_g_(low_t_),
          high_t_(hn::Neg(low_t_)),
          high_g_(high_t_),
          ulp_(hn::Zero(Unsigned())) {}

    HWY_INLINE void step(const float* t, const float* g) {
        for (size_t at = 0; at < kStep; at += kFloatWidth)
            exact(hn::LoadU(Floats(), t + at), hn::LoadU(Floats(), g + at));
        for (size_t at = 0; at < kStep; at += kLanes)
            for (size_t part = 0; part < kParts; ++part)
                wide(part, widened(t + at, part), widened(g + at, part));
    }

    HWY_INLINE void finish(Sums& sums) const {
        sums.tt = tt_.sum();
        sums.gg = gg_.sum();
        sums.tg = tg_.sum();
        sums.dd = dd_.sum();
        sums.abs_d = abs_.sum();
        sums.rel = rel_.sum();
        sums.max_d = max_d_.most();
        sums.max_rel = max_rel_.most();
        sums.unequal = static_cast<int64_t>(unequal_);
        sums.within_1e3 = static_cast<int64_t>(within_1e3_);
        sums.within_5e3 = static_cast<int64_t>(within_5e3_);
        sums.t.mean = t_.sum();
        sums.g.mean = g_.sum();
        extremes(sums);
    }

  private:
    HWY_INLINE void exact(VF t, VF g) {
        low_t_ = hn::Min(low_t_, t);
        high_t_ = hn::Max(high_t_, t);
        low_g_ = hn::Min(low_g_, g);
        high_g_ = hn::Max(high_g_, g);
        unequal_ += hn::CountTrue(Floats(), hn::Ne(t, g));
        const auto a = ordered(t);
        const auto b = ordered(g);
        const auto apart = hn::Sub(hn::Max(a, b), hn::Min(a, b));
        ulp_ = hn::Max(ulp_, hn::BitCast(Unsigned(), apart));
    }

    HWY_INLINE void wide(size_t part, VD t, VD g) {
        const Doubles d8;
        // A product of two floats is exact in double, so that these have the same bits with and
        // without a fused instruction.
        tt_.v[part] = hn::MulAdd(t, t, tt_.v[part]);
        gg_.v[part] = hn::MulAdd(g, g, gg_.v[part]);
        tg_.v[part] = hn::MulAdd(t, g, tg_.v[part]);
        t_.v[part] = hn::Add(t_.v[part], t);
        g_.v[part] = hn::Add(g_.v[part], g);
        const VD d = hn::Abs(hn::Sub(t, g));
        dd_.v[part] = hn::Add(dd_.v[part], hn::Mul(d, d));
        abs_.v[part] = hn::Add(abs_.v[part], d);
        max_d_.v[part] = hn::Max(max_d_.v[part], d);
        const VD size = hn::Abs(g);
        const VD rel = hn::IfThenElseZero(hn::Gt(size, all(kRelativeFloor)), hn::Div(d, size));
        rel_.v[part] = hn::Add(rel_.v[part], rel);
        max_rel_.v[part] = hn::Max(max_rel_.v[part], rel);
        within_1e3_ += hn::CountTrue(d8, hn::Le(d, hn::Mul(size, all(1e-3))));
        within_5e3_ += hn::CountTrue(d8, hn::Le(d, hn::Mul(size, all(5e-3))));
    }

    HWY_INLINE void extremes(Sums& sums) const {
        float low_t[kStep];
        float high_t[kStep];
        float low_g[kStep];
        float high_g[kStep];
        uint32_t ulp[kStep];
        hn::StoreU(low_t_, Floats(), low_t);
        hn::StoreU(high_t_, Floats(), high_t);
        hn::StoreU(low_g_, Floats(), low_g);
        hn::StoreU(high_g_, Floats(), high_g);
        hn::StoreU(ulp_, Unsigned(), ulp);
        sums.min_t = static_cast<double>(*std::min_element(low_t, low_t + kFloatWidth));
        sums.max_t = static_cast<double>(*std::max_element(high_t, high_t + kFloatWidth));
        sums.min_g = static_cast<double>(*std::min_element(low_g, low_g + kFloatWidth));
        sums.max_g = static_cast<double>(*std::max_element(high_g, high_g + kFloatWidth));
        sums.max_abs_t = std::max(std::fabs(sums.min_t), std::fabs(sums.max_t));
        sums.max_abs_g = std::max(std::fabs(sums.min_g), std::fabs(sums.max_g));
        sums.max_ulp = static_cast<double>(*std::max_element(ulp, ulp + kFloatWidth));
    }

    D8 tt_, gg_, tg_, dd_, abs_, rel_, t_, g_, max_d_, max_rel_;
    VF low_t_, low_g_, high_t_, high_g_;
    hn::Vec<Unsigned> ulp_;
    size_t unequal_ = 0;
    size_t within_1e3_ = 0;
    size_t within_5e3_ = 0;
};

/// Sums of t and g are left in the means.
void pairs(const float* t, const float* g, size_t count, Sums& sums) {
    size_t i = 0;
    if (count >= kStep) {
        PairSums running;
        for (; i + kStep <= count; i += kStep) {
            __builtin_prefetch(t + i + kPrefetch);
            __builtin_prefetch(g + i + kPrefetch);
            running.step(t + i, g + i);
        }
        running.finish(sums);
    }
    for (; i < count; ++i) {
        add_values(
            static_cast<double>(t[i]), static_cast<double>(g[i]), difference(t[i], g[i]), sums);
        sums.max_ulp = std::max(sums.max_ulp, distance(t[i], g[i]));
        sums.t.mean += static_cast<double>(t[i]);
        sums.g.mean += static_cast<double>(g[i]);
    }
}

void divergence(
    const float* t, const float* g, size_t count, const Mass& p_of, const Mass& q_of, Sums& sums) {
    D8 masses_p(0);
    D8 masses_q(0);
    D8 logs(0);
    const auto mass = [](VD value, const Mass& by) {
        return hn::Max(hn::Mul(hn::Sub(value, all(by.low)), all(by.scale)), all(kLeastMass));
    };
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes)
        for (size_t part = 0; part < kParts; ++part) {
            const VD p = mass(widened(t + i, part), p_of);
            const VD q = mass(widened(g + i, part), q_of);
            masses_p.v[part] = hn::Add(masses_p.v[part], p);
            masses_q.v[part] = hn::Add(masses_q.v[part], q);
            logs.v[part] = hn::Add(logs.v[part], hn::Mul(p, logarithm(hn::Div(p, q))));
        }
    sums.sum_p += masses_p.sum();
    sums.sum_q += masses_q.sum();
    sums.sum_p_log += logs.sum();
    for (; i < count; ++i)
        add_masses(p_of(static_cast<double>(t[i])), q_of(static_cast<double>(g[i])), sums);
}

}  // namespace npuscope::compare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope::compare {

namespace {

/// Below this share of the sum of squares, the squares about the mean are summed on their own.
constexpr double kCancelled = 1e-6;

/// From the sum of the values, which is in `moments.mean`.
void set_moments(const float* values, size_t count, double squares, Moments& moments) {
    moments.count = static_cast<double>(count);
    moments.mean /= moments.count;
    moments.squares = squares - moments.mean * moments.mean * moments.count;
    if (moments.squares > kCancelled * squares) return;
    moments.squares = 0;
    for (size_t i = 0; i < count; ++i) {
        const double shift = static_cast<double>(values[i]) - moments.mean;
        moments.squares += shift * shift;
    }
}

}  // namespace

HWY_EXPORT(pairs);
HWY_EXPORT(divergence);

bool add_float_pairs(const float* target, const float* golden, size_t count, Sums& sums) {
    sums = {};
    if (count == 0) return true;
    HWY_DYNAMIC_DISPATCH(pairs)(target, golden, count, sums);
    if (!std::isfinite(sums.tt) || !std::isfinite(sums.gg)) return false;
    sums.numel = sums.pairs = static_cast<int64_t>(count);
    set_moments(target, count, sums.tt, sums.t);
    set_moments(golden, count, sums.gg, sums.g);
    return true;
}

void add_float_divergence(
    const float* target, const float* golden, size_t count, const Sums& extremes, Sums& sums) {
    HWY_DYNAMIC_DISPATCH(divergence)
    (target,
     golden,
     count,
     Mass::between(extremes.min_t, extremes.max_t),
     Mass::between(extremes.min_g, extremes.max_g),
     sums);
}

}  // namespace npuscope::compare
#endif
