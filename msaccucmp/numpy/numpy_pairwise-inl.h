// NumPy's pairwise scheme: eight running sums in vector registers. Included by numpy_chunks.cpp,
// once for each vector instruction set.
#if defined(NPUSCOPE_NUMPY_PAIRWISE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef NPUSCOPE_NUMPY_PAIRWISE_INL
#undef NPUSCOPE_NUMPY_PAIRWISE_INL
#else
#define NPUSCOPE_NUMPY_PAIRWISE_INL
#endif

#include <algorithm>
#include <cstddef>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace npuscope::msaccucmp::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kLanes = 8;
constexpr size_t kPairwiseLeaf = 128;

using Floats = hn::CappedTag<float, kLanes>;
using Doubles = hn::CappedTag<double, 4>;  // half a wide vector: faster beside eight floats
using Ints = hn::RebindToSigned<Floats>;
using V = hn::Vec<Floats>;
constexpr size_t kFloatParts = kLanes / hn::MaxLanes(Floats());
constexpr size_t kDoubleParts = kLanes / hn::MaxLanes(Doubles());
/// Terms that cost much are made sixteen at a time where there are such vectors.
using Sixteen = hn::CappedTag<float, 16>;

HWY_INLINE V load(const float* from) {
    return hn::LoadU(Floats(), from);
}
HWY_INLINE V splat(float value) {
    return hn::Set(Floats(), value);
}

/// Eight running sums.
struct F8 {
    V v[kFloatParts];
    HWY_INLINE void add(const F8& other) {
        for (size_t i = 0; i < kFloatParts; ++i)
            v[i] = hn::Add(v[i], other.v[i]);
    }
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    /// The first eight lanes, then the others.
    HWY_INLINE void add_halves(hn::Vec<Sixteen> wide) {
        v[0] = hn::Add(v[0], hn::LowerHalf(Floats(), wide));
        v[0] = hn::Add(v[0], hn::UpperHalf(Floats(), wide));
    }
#endif
    HWY_INLINE float sum() const {
        float r[kLanes];
        for (size_t i = 0; i < kFloatParts; ++i)
            hn::StoreU(v[i], Floats(), r + i * hn::MaxLanes(Floats()));
        return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
};
struct D8 {
    hn::Vec<Doubles> v[kDoubleParts];
    HWY_INLINE void add(const D8& other) {
        for (size_t i = 0; i < kDoubleParts; ++i)
            v[i] = hn::Add(v[i], other.v[i]);
    }
    HWY_INLINE double sum() const {
        double r[kLanes];
        for (size_t i = 0; i < kDoubleParts; ++i)
            hn::StoreU(v[i], Doubles(), r + i * hn::MaxLanes(Doubles()));
        return ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    /// f of eight floats from `from` on, each made double.
    template <class F>
    static HWY_INLINE D8 of(const float* from, F f) {
        D8 out;
        for (size_t i = 0; i < kDoubleParts; ++i) {
            const hn::Rebind<float, Doubles> narrow;
            out.v[i] =
                f(hn::PromoteTo(Doubles(), hn::LoadU(narrow, from + i * hn::MaxLanes(Doubles()))));
        }
        return out;
    }
};

/// The sums of a class of terms: `Terms::kF` in float32 and `Terms::kD` in double.
template <class Terms>
struct Totals {
    float f[Terms::kF > 0 ? Terms::kF : 1] = {};
    double d[Terms::kD > 0 ? Terms::kD : 1] = {};
    HWY_INLINE void add(const Totals& other) {
        for (size_t k = 0; k < Terms::kF; ++k)
            f[k] += other.f[k];
        for (size_t k = 0; k < Terms::kD; ++k)
            d[k] += other.d[k];
    }
};
template <class Terms>
struct Running {
    F8 f[Terms::kF > 0 ? Terms::kF : 1];
    D8 d[Terms::kD > 0 ? Terms::kD : 1];

    HWY_INLINE void set_zero() {
        for (F8& sum : f)
            for (V& part : sum.v)
                part = hn::Zero(Floats());
    }
};

/// The eight lanes of up to four sums, added as ((0+1)+(2+3))+((4+5)+(6+7)), all at once.
HWY_INLINE void fold_floats(const F8* sums, size_t count, float* out) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    const Floats d;
    // Neighbours of two vectors.
    const auto pairs = [d](V low, V high) HWY_ATTR {
        return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
    };
    const auto of = [&](size_t k) HWY_ATTR { return sums[k < count ? k : 0].v[0]; };
    const V four = pairs(pairs(of(0), of(1)), pairs(of(2), of(3)));
    const V folded = pairs(four, four);
    float lanes[kLanes];
    hn::StoreU(folded, d, lanes);
    for (size_t k = 0; k < count; ++k)
        out[k] = lanes[k];
#else
    for (size_t k = 0; k < count; ++k)
        out[k] = sums[k].sum();
#endif
}

/// Likewise for two sums.
HWY_INLINE void fold_doubles(const D8* sums, double* out) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    const Doubles d;
    using W = hn::Vec<Doubles>;
    const auto pairs = [d](W low, W high) HWY_ATTR {
        return hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low));
    };
    const W two = pairs(pairs(sums[0].v[0], sums[0].v[1]), pairs(sums[1].v[0], sums[1].v[1]));
    double lanes[4];
    hn::StoreU(pairs(two, two), d, lanes);
    out[0] = lanes[0];
    out[1] = lanes[1];
#else
    out[0] = sums[0].sum();
    out[1] = sums[1].sum();
#endif
}

/// terms.eight(i, Running&) gives the terms of elements i to i+7, terms.one(i, Totals&) those of
/// element i. Every element is visited once, in order.
template <class Terms>
class PairwiseSums {
  public:
    explicit PairwiseSums(Terms& terms) : terms_(terms) {}

    Totals<Terms> over(size_t count) { return pairwise(0, count); }

  private:
    Totals<Terms> pairwise(size_t start, size_t count) {
        if (count < kLanes) {
            Totals<Terms> sum;
            add_tail(sum, start, count);
            return sum;
        }
        if (count <= kPairwiseLeaf) return leaf(start, count);
        const size_t left = count / 2 - (count / 2) % kLanes;
        Totals<Terms> sum = pairwise(start, left);
        sum.add(pairwise(start + left, count - left));
        return sum;
    }

    HWY_INLINE Totals<Terms> leaf(size_t start, size_t count) {
        Running<Terms> running;
        size_t i = 0;
        if constexpr (requires { terms_.add_many(i, running); }) {
            // From zero, which changes nothing but the sign of a zero.
            running.set_zero();
            for (; i + 4 * kLanes <= count; i += 4 * kLanes)
                terms_.add_many(start + i, running);
        } else {
            terms_.eight(start, running);
            i = kLanes;
        }
        for (; i + kLanes <= count; i += kLanes) {
            Running<Terms> next;
            terms_.eight(start + i, next);
            for (size_t k = 0; k < Terms::kF; ++k)
                running.f[k].add(next.f[k]);
            for (size_t k = 0; k < Terms::kD; ++k)
                running.d[k].add(next.d[k]);
        }
        Totals<Terms> sum;
        static_assert(Terms::kD == 0 || Terms::kD == 2);
        for (size_t k = 0; k < Terms::kF; k += 4)
            fold_floats(running.f + k, std::min<size_t>(4, Terms::kF - k), sum.f + k);
        if constexpr (Terms::kD == 2) fold_doubles(running.d, sum.d);
        add_tail(sum, start + i, count - i);
        return sum;
    }

    void add_tail(Totals<Terms>& sum, size_t start, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            Totals<Terms> one;
            terms_.one(start + i, one);
            sum.add(one);
        }
    }

    Terms& terms_;
};

}  // namespace npuscope::msaccucmp::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
