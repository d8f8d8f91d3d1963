#include "compare/msaccucmp/pair_numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "compare/msaccucmp/numpy_sum.h"

namespace npuscope::compare::msaccucmp {

namespace {

constexpr float kFloat64Epsilon = 2.220446049250313e-16f;
constexpr float kFloat32Epsilon = 1.1920928955078125e-07f;

Lanes absolute(const Lanes& lanes) {
    return each_half(
        [](Quad v) {
            QuadMask bits;
            __builtin_memcpy(&bits, &v, sizeof bits);
            bits &= 0x7fffffff;
            __builtin_memcpy(&v, &bits, sizeof bits);
            return v;
        },
        lanes);
}

/// NumPy's maximum: NaN wins, and stays.
Lanes maximum(const Lanes& a, const Lanes& b) {
    return each_half([](Quad x, Quad y) { return ((y > x) | (y != y)) ? y : x; }, a, b);
}
Lanes minimum(const Lanes& a, const Lanes& b) {
    return each_half([](Quad x, Quad y) { return ((y < x) | (y != y)) ? y : x; }, a, b);
}
float maximum(float a, float b) {
    return b > a || b != b ? b : a;
}
float minimum(float a, float b) {
    return b < a || b != b ? b : a;
}

float fold(const Lanes& lanes, float start, float (*combine)(float, float)) {
    for (size_t i = 0; i < kLanes; ++i)
        start = combine(start, lanes[i]);
    return start;
}

/// |ratio| where |b| exceeds the float64 epsilon, 0 elsewhere.
Lanes relative(const Lanes& ratio, const Lanes& b) {
    const Lanes floor = splat(kFloat64Epsilon);
    const auto choose = [](Quad r, Quad size, Quad least) {
        return size > least ? r : Quad{0, 0, 0, 0};
    };
    return each_half(choose, absolute(ratio), absolute(b), floor);
}

/// First pass: the sums over differences, and their maxima.
struct DifferenceTerms {
    const float* x;
    const float* y;
    Lanes max_abs = splat(0);
    Lanes max_rel = splat(0);
    float tail_abs = 0;
    float tail_rel = 0;

    void operator()(size_t i, Lanes (&out)[5]) {
        const Lanes a = load_lanes(x + i);
        const Lanes b = load_lanes(y + i);
        const Lanes d = a - b;
        const Lanes abs_d = absolute(d);
        const Lanes rel = relative(a / b - splat(1), b);
        max_abs = maximum(max_abs, abs_d);
        max_rel = maximum(max_rel, rel);
        out[0] = a * a;
        out[1] = b * b;
        out[2] = d * d;
        out[3] = abs_d;
        out[4] = rel;
    }
    void operator()(size_t i, float (&out)[5]) {
        const float a = x[i];
        const float b = y[i];
        const float d = a - b;
        const float rel = std::fabs(b) > kFloat64Epsilon ? std::fabs(a / b - 1.0f) : 0.0f;
        tail_abs = maximum(tail_abs, std::fabs(d));
        tail_rel = maximum(tail_rel, rel);
        out[0] = a * a;
        out[1] = b * b;
        out[2] = d * d;
        out[3] = std::fabs(d);
        out[4] = rel;
    }
};

struct CosineTerms {
    const float* x;
    const float* y;
    float norm_x;
    float norm_y;

    void operator()(size_t i, Lanes (&out)[1]) const {
        out[0] = (load_lanes(x + i) / splat(norm_x)) * (load_lanes(y + i) / splat(norm_y));
    }
    void operator()(size_t i, float (&out)[1]) const { out[0] = (x[i] / norm_x) * (y[i] / norm_y); }
};

/// Values moved to [0, 1] unless all are equal, and kept above the float32 epsilon.
struct Normalised {
    const float* data;
    float low;
    float range;

    Lanes lanes(size_t i) const {
        Lanes v = load_lanes(data + i);
        if (range != 0) v = (v - splat(low)) / splat(range);
        return maximum(splat(kFloat32Epsilon), v);
    }
    float at(size_t i) const {
        float v = data[i];
        if (range != 0) v = (v - low) / range;
        return maximum(kFloat32Epsilon, v);
    }
};

Normalised normalised(const float* data, size_t count) {
    const float start = data[0];
    Lanes low = splat(start);
    Lanes high = splat(start);
    float tail_low = start;
    float tail_high = start;
    size_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        const Lanes v = load_lanes(data + i);
        low = minimum(low, v);
        high = maximum(high, v);
    }
    for (; i < count; ++i) {
        tail_low = minimum(tail_low, data[i]);
        tail_high = maximum(tail_high, data[i]);
    }
    const float lowest = fold(low, tail_low, minimum);
    return {data, lowest, fold(high, tail_high, maximum) - lowest};
}

struct MassTerms {
    Normalised p;
    Normalised q;

    void operator()(size_t i, Lanes (&out)[2]) const {
        out[0] = p.lanes(i);
        out[1] = q.lanes(i);
    }
    void operator()(size_t i, float (&out)[2]) const {
        out[0] = p.at(i);
        out[1] = q.at(i);
    }
};

struct DivergenceTerms {
    Normalised p;
    Normalised q;
    float mass_p;
    float mass_q;

    void operator()(size_t i, Lanes (&out)[1]) const {
        const Lanes a = p.lanes(i) / splat(mass_p);
        const Lanes ratio = a / (q.lanes(i) / splat(mass_q));
        Lanes logs;
        for (size_t k = 0; k < 4; ++k) {
            logs.low[k] = std::log(ratio.low[k]);
            logs.high[k] = std::log(ratio.high[k]);
        }
        out[0] = a * logs;
    }
    void operator()(size_t i, float (&out)[1]) const {
        const float a = p.at(i) / mass_p;
        out[0] = a * std::log(a / (q.at(i) / mass_q));
    }
};

float kullback_leibler(const float* x, const float* y, size_t count) {
    MassTerms masses{normalised(x, count), normalised(y, count)};
    const auto mass = NumpySums<2, MassTerms>(masses).over(count);
    DivergenceTerms terms{masses.p, masses.q, mass[0], mass[1]};
    return NumpySums<1, DivergenceTerms>(terms).over(count)[0];
}

/// NumPy's double sum of term(i): the same scheme as NumpySums, without vectors.
template <class Term>
double pairwise_double(const Term& term, size_t start, size_t count) {
    if (count < kLanes) {
        double sum = 0;
        for (size_t i = 0; i < count; ++i)
            sum += term(start + i);
        return sum;
    }
    if (count > kPairwiseLeaf) {
        const size_t left = count / 2 - (count / 2) % kLanes;
        return pairwise_double(term, start, left) +
               pairwise_double(term, start + left, count - left);
    }
    std::array<double, kLanes> r;
    for (size_t k = 0; k < kLanes; ++k)
        r[k] = term(start + k);
    size_t i = kLanes;
    for (; i + kLanes <= count; i += kLanes)
        for (size_t k = 0; k < kLanes; ++k)
            r[k] += term(start + i + k);
    double sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < count; ++i)
        sum += term(start + i);
    return sum;
}

template <class Term>
double sum_double(const Term& term, size_t count) {
    double total = 0;
    for (size_t start = 0; start < count; start += kSumChunk)
        total += pairwise_double(term, start, std::min(kSumChunk, count - start));
    return total;
}

/// Mean and population standard deviation in double.
void deviation(const float* data, size_t count, double& mean, double& result) {
    if (count == 0) {
        mean = result = std::numeric_limits<double>::quiet_NaN();
        return;
    }
    const auto n = static_cast<double>(count);
    const double centre =
        sum_double([data](size_t i) { return static_cast<double>(data[i]); }, count) / n;
    const auto squared = [data, centre](size_t i) {
        const double d = static_cast<double>(data[i]) - centre;
        return d * d;
    };
    mean = centre;
    result = std::sqrt(sum_double(squared, count) / n);
}

struct PlainTerms {
    const float* data;
    void operator()(size_t i, Lanes (&out)[1]) const { out[0] = load_lanes(data + i); }
    void operator()(size_t i, float (&out)[1]) const { out[0] = data[i]; }
};

}  // namespace

float numpy_sum(const float* data, size_t count) {
    PlainTerms terms{data};
    return NumpySums<1, PlainTerms>(terms).over(count)[0];
}

PairNumbers pair_numbers(const float* x, const float* y, size_t count, const Wanted& wanted) {
    PairNumbers numbers;
    numbers.count = count;
    if (wanted.differences || wanted.cosine) {
        DifferenceTerms terms{.x = x, .y = y};
        const auto sums = NumpySums<5, DifferenceTerms>(terms).over(count);
        numbers.sum_xx = sums[0];
        numbers.sum_yy = sums[1];
        numbers.sum_dd = sums[2];
        numbers.sum_abs = sums[3];
        numbers.sum_rel = sums[4];
        numbers.max_abs = fold(terms.max_abs, terms.tail_abs, maximum);
        numbers.max_rel = fold(terms.max_rel, terms.tail_rel, maximum);
    }
    if (wanted.cosine && count > 0) {
        CosineTerms terms{x, y, std::sqrt(numbers.sum_xx), std::sqrt(numbers.sum_yy)};
        numbers.cosine = NumpySums<1, CosineTerms>(terms).over(count)[0];
    }
    if (wanted.divergence && count > 0) numbers.divergence = kullback_leibler(x, y, count);
    if (wanted.deviation) {
        deviation(x, count, numbers.mean_x, numbers.deviation_x);
        deviation(y, count, numbers.mean_y, numbers.deviation_y);
    }
    return numbers;
}

}  // namespace npuscope::compare::msaccucmp
