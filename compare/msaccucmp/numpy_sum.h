// Sums of float32 in NumPy's order, several at once in one pass over the data. Included by
// pair_numbers.cpp only.
//
// The elements are cut into chunks of 8192; each chunk is summed pairwise in float32 and the chunks
// are added one after the other in float32.
// Source: NumPy 1.24, numpy/core/src/umath/loops_utils.h.src (pairwise_sum), buffer size 8192.
#pragma once

#include <array>
#include <cstddef>

namespace npuscope::compare::msaccucmp {

inline constexpr size_t kSumChunk = 8192;
inline constexpr size_t kPairwiseLeaf = 128;
inline constexpr size_t kLanes = 8;

/// Four floats in one register; the compiler makes single instructions of it on any 64-bit machine.
using Quad = float __attribute__((vector_size(16)));
using QuadMask = int __attribute__((vector_size(16)));

/// Eight lanes, the eight running sums of the pairwise scheme.
struct Lanes {
    Quad low;
    Quad high;

    float operator[](size_t i) const { return i < 4 ? low[i] : high[i - 4]; }
    Lanes& operator+=(const Lanes& other) {
        low += other.low;
        high += other.high;
        return *this;
    }
};
inline Lanes operator-(const Lanes& a, const Lanes& b) {
    return {a.low - b.low, a.high - b.high};
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
    return {a.low * b.low, a.high * b.high};
}
inline Lanes operator/(const Lanes& a, const Lanes& b) {
    return {a.low / b.low, a.high / b.high};
}

/// f on both halves.
template <class F, class... Operands>
Lanes each_half(F f, const Operands&... operands) {
    return {f(operands.low...), f(operands.high...)};
}

/// Eight elements from `data`, which need not be aligned.
inline Lanes load_lanes(const float* data) {
    Lanes lanes;
    __builtin_memcpy(&lanes, data, sizeof lanes);
    return lanes;
}

inline Lanes splat(float value) {
    const Quad quad = {value, value, value, value};
    return {quad, quad};
}

/// The K sums that `Terms` defines: terms(i, Lanes (&out)[K]) gives the eight terms from element i
/// on, terms(i, float (&out)[K]) those of element i alone. Each element is visited once, in order.
template <size_t K, class Terms>
class NumpySums {
  public:
    explicit NumpySums(Terms& terms) : terms_(terms) {}

    std::array<float, K> over(size_t count) {
        std::array<float, K> total{};
        for (size_t start = 0; start < count; start += kSumChunk) {
            const auto chunk =
                pairwise(start, count - start < kSumChunk ? count - start : kSumChunk);
            for (size_t k = 0; k < K; ++k)
                total[k] += chunk[k];
        }
        return total;
    }

  private:
    std::array<float, K> pairwise(size_t start, size_t count) {
        if (count < kLanes) {
            std::array<float, K> sum{};
            add_tail(sum, start, count);
            return sum;
        }
        if (count <= kPairwiseLeaf) return leaf(start, count);
        const size_t left = count / 2 - (count / 2) % kLanes;
        std::array<float, K> sum = pairwise(start, left);
        const std::array<float, K> right = pairwise(start + left, count - left);
        for (size_t k = 0; k < K; ++k)
            sum[k] += right[k];
        return sum;
    }

    std::array<float, K> leaf(size_t start, size_t count) {
        Lanes running[K];
        terms_(start, running);
        size_t i = kLanes;
        for (; i + kLanes <= count; i += kLanes) {
            Lanes next[K];
            terms_(start + i, next);
            for (size_t k = 0; k < K; ++k)
                running[k] += next[k];
        }
        std::array<float, K> sum;
        for (size_t k = 0; k < K; ++k) {
            const Lanes& r = running[k];
            sum[k] = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
        }
        add_tail(sum, start + i, count - i);
        return sum;
    }

    void add_tail(std::array<float, K>& sum, size_t start, size_t count) {
        for (size_t i = 0; i < count; ++i) {
            float terms[K];
            terms_(start + i, terms);
            for (size_t k = 0; k < K; ++k)
                sum[k] += terms[k];
        }
    }

    Terms& terms_;
};

}  // namespace npuscope::compare::msaccucmp
