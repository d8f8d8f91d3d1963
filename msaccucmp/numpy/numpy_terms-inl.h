// The terms of the sums of numpy_chunks.cpp, eight elements at a time. Included there, once for
// each vector instruction set.
#if defined(NPUSCOPE_NUMPY_TERMS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NPUSCOPE_NUMPY_TERMS_INL
#undef NPUSCOPE_NUMPY_TERMS_INL
#else
#define NPUSCOPE_NUMPY_TERMS_INL
#endif

#include <cmath>
#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <limits>

#include "msaccucmp/numpy/exact_quotient-inl.h"
#include "msaccucmp/numpy/numpy_chunks.h"
#include "msaccucmp/numpy/numpy_logarithm-inl.h"
#include "msaccucmp/numpy/numpy_pairwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::msaccucmp::HWY_NAMESPACE {

constexpr float kFloat64Epsilon = 2.220446049250313e-16f;
constexpr float kFloat32Epsilon = 1.1920928955078125e-07f;

/// Magnitudes are compared as integers: NaN is then larger than infinity, so it wins as in NumPy.
HWY_INLINE int32_t bits_of(float value) {
    int32_t bits = 0;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

struct Largest {
    hn::Vec<Ints> v;
    int32_t tail = 0;

    // Written out: an implicit constructor would not be compiled for the instruction set.
    HWY_INLINE Largest() : v(hn::Zero(Ints())) {}
    HWY_INLINE void take(V magnitude) { v = hn::Max(v, hn::BitCast(Ints(), magnitude)); }
    HWY_INLINE void take(float magnitude) {
        const int32_t bits = bits_of(magnitude);
        tail = bits > tail ? bits : tail;
    }
    float value() const {
        int32_t lanes[kLanes];
        hn::StoreU(v, Ints(), lanes);
        int32_t most = tail;
        for (size_t i = 0; i < hn::MaxLanes(Ints()); ++i)
            most = lanes[i] > most ? lanes[i] : most;
        float value = 0;
        __builtin_memcpy(&value, &most, sizeof value);
        return value;
    }
};

/// Not meaningful when there is a NaN.
struct Extremes {
    V low;
    V high;

    HWY_INLINE Extremes()
        : low(splat(std::numeric_limits<float>::infinity())),
          high(splat(-std::numeric_limits<float>::infinity())) {}
    HWY_INLINE void take(V value) {
        low = hn::Min(low, value);
        high = hn::Max(high, value);
    }
    HWY_INLINE void take(float value) { take(splat(value)); }
    float least() const {
        float lanes[kLanes];
        hn::StoreU(low, Floats(), lanes);
        float least = lanes[0];
        for (size_t i = 1; i < hn::MaxLanes(Floats()); ++i)
            least = lanes[i] < least ? lanes[i] : least;
        return least;
    }
    float most() const {
        float lanes[kLanes];
        hn::StoreU(high, Floats(), lanes);
        float most = lanes[0];
        for (size_t i = 1; i < hn::MaxLanes(Floats()); ++i)
            most = lanes[i] > most ? lanes[i] : most;
        return most;
    }
};

/// The processor's own prefetching ends at each 4 KB.
HWY_INLINE void fetch_ahead(const float* x, const float* y) {
    constexpr size_t kAhead = 512;
    hwy::Prefetch(x + kAhead);
    hwy::Prefetch(y + kAhead);
}

class DifferenceTerms {
  public:
    static constexpr size_t kF = 5;
    static constexpr size_t kD = 2;
    HWY_INLINE DifferenceTerms(const float* x, const float* y) : x_(x), y_(y) {}

    HWY_INLINE void eight(size_t i, Running<DifferenceTerms>& out) {
        fetch_ahead(x_ + i, y_ + i);
        for (size_t part = 0; part < kFloatParts; ++part) {
            const size_t at = i + part * hn::MaxLanes(Floats());
            const V a = load(x_ + at);
            const V b = load(y_ + at);
            const V d = hn::Sub(a, b);
            const V size = hn::Abs(d);
            const V ratio = hn::Abs(hn::Sub(hn::Div(a, b), splat(1)));
            const V rel = hn::IfThenElseZero(hn::Gt(hn::Abs(b), splat(kFloat64Epsilon)), ratio);
            abs_.take(size);
            rel_.take(rel);
            ex_.take(a);
            ey_.take(b);
            out.f[0].v[part] = hn::Mul(a, a);
            out.f[1].v[part] = hn::Mul(b, b);
            out.f[2].v[part] = hn::Mul(d, d);
            out.f[3].v[part] = size;
            out.f[4].v[part] = rel;
        }
        const auto same = [](auto v) { return v; };
        out.d[0] = D8::of(x_ + i, same);
        out.d[1] = D8::of(y_ + i, same);
    }
    void one(size_t i, Totals<DifferenceTerms>& out) {
        const float a = x_[i];
        const float b = y_[i];
        const float d = a - b;
        const float rel = std::fabs(b) > kFloat64Epsilon ? std::fabs(a / b - 1.0f) : 0.0f;
        abs_.take(std::fabs(d));
        rel_.take(rel);
        ex_.take(a);
        ey_.take(b);
        out.f[0] = a * a;
        out.f[1] = b * b;
        out.f[2] = d * d;
        out.f[3] = std::fabs(d);
        out.f[4] = rel;
        out.d[0] = static_cast<double>(a);
        out.d[1] = static_cast<double>(b);
    }
    void extremes(DifferenceSums& out) const {
        out.max_abs = abs_.value();
        out.max_rel = rel_.value();
        out.min_x = ex_.least();
        out.max_x = ex_.most();
        out.min_y = ey_.least();
        out.max_y = ey_.most();
    }

  private:
    const float* x_;
    const float* y_;
    Largest abs_;
    Largest rel_;
    Extremes ex_;
    Extremes ey_;
};

/// Values moved to [0, 1] unless all are equal, and kept above the float32 epsilon.
template <class Quotient>
class Normalised {
  public:
    explicit Normalised(const Normaliser& by) : by_(by), range_(by.range) {}

    template <class D>
    HWY_INLINE hn::Vec<D> of(D d, hn::Vec<D> v) const {
        if (Quotient::kIsModerate || by_.range != 0)
            v = range_.divide(d, hn::Sub(v, hn::Set(d, by_.low)));
        return hn::Max(hn::Set(d, kFloat32Epsilon), v);
    }
    HWY_INLINE float one(float v) const {
        if (by_.range != 0) v = (v - by_.low) / by_.range;
        return v > kFloat32Epsilon ? v : kFloat32Epsilon;
    }

  private:
    Normaliser by_;
    Quotient range_;
};

template <class Quotient>
class CentredTerms {
  public:
    static constexpr size_t kF = 3;
    static constexpr size_t kD = 2;
    HWY_INLINE CentredTerms(const float* x, const float* y, const Centres& centres)
        : x_(x),
          y_(y),
          by_(centres),
          p_(centres.p),
          q_(centres.q),
          norm_x_(centres.norm_x),
          norm_y_(centres.norm_y) {}

    HWY_INLINE void eight(size_t i, Running<CentredTerms>& out) {
        fetch_ahead(x_ + i, y_ + i);
        for (size_t part = 0; part < kFloatParts; ++part) {
            const size_t at = i + part * hn::MaxLanes(Floats());
            const V a = load(x_ + at);
            const V b = load(y_ + at);
            out.f[0].v[part] = hn::Mul(norm_x_.divide(Floats(), a), norm_y_.divide(Floats(), b));
            out.f[1].v[part] = p_.of(Floats(), a);
            out.f[2].v[part] = q_.of(Floats(), b);
        }
        const auto squared = [](double mean) {
            return [centre = hn::Set(Doubles(), mean)](auto v) {
                const auto d = hn::Sub(v, centre);
                return hn::Mul(d, d);
            };
        };
        out.d[0] = D8::of(x_ + i, squared(by_.mean_x));
        out.d[1] = D8::of(y_ + i, squared(by_.mean_y));
    }
    void one(size_t i, Totals<CentredTerms>& out) {
        out.f[0] = (x_[i] / by_.norm_x) * (y_[i] / by_.norm_y);
        out.f[1] = p_.one(x_[i]);
        out.f[2] = q_.one(y_[i]);
        const double dx = static_cast<double>(x_[i]) - by_.mean_x;
        const double dy = static_cast<double>(y_[i]) - by_.mean_y;
        out.d[0] = dx * dx;
        out.d[1] = dy * dy;
    }

  private:
    const float* x_;
    const float* y_;
    const Centres& by_;
    Normalised<Quotient> p_;
    Normalised<Quotient> q_;
    Quotient norm_x_;
    Quotient norm_y_;
};

/// `Quotient` is exact for these divisors. Plain ratios are positive normal numbers.
template <class Quotient, bool kIsPlain>
class DivergenceTerms {
  public:
    static constexpr size_t kF = 1;
    static constexpr size_t kD = 0;
    HWY_INLINE DivergenceTerms(const float* x, const float* y, const Masses& masses)
        : x_(x),
          y_(y),
          p_(masses.p),
          q_(masses.q),
          mass_p_(masses.mass_p),
          mass_q_(masses.mass_q) {}

    HWY_INLINE void eight(size_t i, Running<DivergenceTerms>& out) {
        for (size_t part = 0; part < kFloatParts; ++part) {
            const size_t at = i + part * hn::MaxLanes(Floats());
            out.f[0].v[part] = term(Floats(), load(x_ + at), load(y_ + at));
        }
    }
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    /// Two vectors at once: each alone is one long chain of operations.
    HWY_INLINE void add_many(size_t i, Running<DivergenceTerms>& sums) {
        const Sixteen d;
        fetch_ahead(x_ + i, y_ + i);
        const auto first = term(d, hn::LoadU(d, x_ + i), hn::LoadU(d, y_ + i));
        const auto second = term(d, hn::LoadU(d, x_ + i + 16), hn::LoadU(d, y_ + i + 16));
        sums.f[0].add_halves(first);
        sums.f[0].add_halves(second);
    }
#endif
    void one(size_t i, Totals<DivergenceTerms>& out) {
        out.f[0] = hn::GetLane(term(Floats(), splat(x_[i]), splat(y_[i])));
    }

  private:
    template <class D>
    HWY_INLINE hn::Vec<D> term(D d, hn::Vec<D> x, hn::Vec<D> y) const {
        const auto p = mass_p_.divide(d, p_.of(d, x));
        const auto ratio = hn::Div(p, mass_q_.divide(d, q_.of(d, y)));
        return hn::Mul(p, kIsPlain ? ordinary_logarithm(d, ratio) : logarithm(d, ratio));
    }

    const float* x_;
    const float* y_;
    Normalised<Quotient> p_;
    Normalised<Quotient> q_;
    Quotient mass_p_;
    Quotient mass_q_;
};

struct PlainTerms {
    static constexpr size_t kF = 1;
    static constexpr size_t kD = 0;
    const float* data;

    HWY_INLINE void eight(size_t i, Running<PlainTerms>& out) {
        for (size_t part = 0; part < kFloatParts; ++part)
            out.f[0].v[part] = load(data + i + part * hn::MaxLanes(Floats()));
    }
    void one(size_t i, Totals<PlainTerms>& out) { out.f[0] = data[i]; }
};

}  // namespace npuscope::msaccucmp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
