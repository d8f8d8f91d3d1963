#include "msaccucmp/numpy/pair_numbers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/parallel/parallel_for.h"
#include "msaccucmp/numpy/numpy_chunks.h"

namespace npuscope::msaccucmp {

namespace {

constexpr size_t kGroup = 8;     ///< chunks that one thread takes at a time
constexpr size_t kBatch = 4096;  ///< chunks whose results are kept before they are added up
constexpr size_t kKept = size_t{4} << 20;  ///< elements that may stay in memory between passes

/// Chunk results, computed by any thread and added in the order of the elements.
class Passes {
  public:
    Passes(const FloatSource& x, const FloatSource& y, int threads)
        : x_(x), y_(y), threads_(threads), chunks_((x.count() + kSumChunk - 1) / kSumChunk) {}

    /// add(compute(x, y, count)) for every chunk.
    template <class Compute, class Add>
    void run(const Compute& compute, const Add& add) const {
        using Result = decltype(compute(nullptr, nullptr, size_t{}));
        std::vector<Result> results(std::min(kBatch, chunks_));
        for (size_t start = 0; start < chunks_; start += kBatch) {
            const size_t count = std::min(kBatch, chunks_ - start);
            const size_t groups = (count + kGroup - 1) / kGroup;
            parallel_for(static_cast<int64_t>(groups), threads_, [&](int64_t group) {
                const size_t from = static_cast<size_t>(group) * kGroup;
                run_group(
                    start + from, std::min(kGroup, count - from), compute, results.data() + from);
            });
            for (size_t i = 0; i < count; ++i)
                add(results[i]);
        }
    }

  private:
    template <class Compute, class Result>
    void run_group(size_t chunk, size_t chunks, const Compute& compute, Result* results) const {
        thread_local FloatBuffer x_buffer;
        thread_local FloatBuffer y_buffer;
        const size_t first = chunk * kSumChunk;
        const size_t last = std::min(x_.count(), first + chunks * kSumChunk);
        for (size_t at = first; at < last; at += kSumChunk, ++results) {
            const size_t count = std::min(kSumChunk, last - at);
            *results = compute(x_.piece(at, count, x_buffer), y_.piece(at, count, y_buffer), count);
        }
        if (x_.count() <= kKept) return;
        x_.release(first, last - first);
        y_.release(first, last - first);
    }

    const FloatSource& x_;
    const FloatSource& y_;
    int threads_;
    size_t chunks_;
};

/// The first chunk sets the extremes, later ones widen them.
void add_differences(const DifferenceSums& chunk, bool is_first, DifferenceSums& total) {
    if (is_first) {
        total = chunk;
        return;
    }
    total.xx += chunk.xx;
    total.yy += chunk.yy;
    total.dd += chunk.dd;
    total.abs += chunk.abs;
    total.rel += chunk.rel;
    total.x += chunk.x;
    total.y += chunk.y;
    const auto larger = [](float a, float b) { return b > a || b != b ? b : a; };
    total.max_abs = larger(total.max_abs, chunk.max_abs);
    total.max_rel = larger(total.max_rel, chunk.max_rel);
    total.min_x = std::min(total.min_x, chunk.min_x);
    total.max_x = std::max(total.max_x, chunk.max_x);
    total.min_y = std::min(total.min_y, chunk.min_y);
    total.max_y = std::max(total.max_y, chunk.max_y);
}

Centres centres_of(const DifferenceSums& sums, size_t count) {
    const auto n = static_cast<double>(count);
    return {.norm_x = std::sqrt(sums.xx),
            .norm_y = std::sqrt(sums.yy),
            .mean_x = sums.x / n,
            .mean_y = sums.y / n,
            .p = {sums.min_x, sums.max_x - sums.min_x},
            .q = {sums.min_y, sums.max_y - sums.min_y}};
}

/// NumPy's result is NaN when an element or the distance between the extremes is not finite.
bool has_divergence(const DifferenceSums& sums, const Centres& centres) {
    return !std::isnan(sums.xx) && !std::isnan(sums.yy) && std::isfinite(centres.p.range) &&
           std::isfinite(centres.q.range);
}

float divergence_of(const Passes& passes, const Centres& centres, const CentredSums& sums) {
    const Masses masses{centres.p, centres.q, sums.mass_p, sums.mass_q};
    float total = 0;
    passes.run(
        [&](const float* a, const float* b, size_t count) {
            return divergence_sum(a, b, count, masses);
        },
        [&](float chunk) { total += chunk; });
    return total;
}

}  // namespace

PairNumbers pair_numbers(const FloatSource& x,
                         const FloatSource& y,
                         const Wanted& wanted,
                         int threads) {
    PairNumbers numbers;
    numbers.count = x.count();
    if (numbers.count == 0) {
        const double none = std::numeric_limits<double>::quiet_NaN();
        if (wanted.deviation)
            numbers.mean_x = numbers.mean_y = numbers.deviation_x = numbers.deviation_y = none;
        return numbers;
    }
    const Passes passes(x, y, threads);
    DifferenceSums sums;
    bool is_first = true;
    passes.run(difference_sums, [&](const DifferenceSums& chunk) {
        add_differences(chunk, is_first, sums);
        is_first = false;
    });
    numbers.sum_xx = sums.xx;
    numbers.sum_yy = sums.yy;
    numbers.sum_dd = sums.dd;
    numbers.sum_abs = sums.abs;
    numbers.sum_rel = sums.rel;
    numbers.max_abs = sums.max_abs;
    numbers.max_rel = sums.max_rel;
    if (!wanted.cosine && !wanted.divergence && !wanted.deviation) return numbers;

    const Centres centres = centres_of(sums, numbers.count);
    CentredSums centred;
    passes.run(
        [&](const float* a, const float* b, size_t count) {
            return centred_sums(a, b, count, centres);
        },
        [&](const CentredSums& chunk) {
            centred.cosine += chunk.cosine;
            centred.mass_p += chunk.mass_p;
            centred.mass_q += chunk.mass_q;
            centred.squares_x += chunk.squares_x;
            centred.squares_y += chunk.squares_y;
        });
    if (wanted.cosine) numbers.cosine = centred.cosine;
    if (wanted.deviation) {
        const auto n = static_cast<double>(numbers.count);
        numbers.mean_x = centres.mean_x;
        numbers.mean_y = centres.mean_y;
        numbers.deviation_x = std::sqrt(centred.squares_x / n);
        numbers.deviation_y = std::sqrt(centred.squares_y / n);
    }
    if (wanted.divergence)
        numbers.divergence = has_divergence(sums, centres)
                                 ? divergence_of(passes, centres, centred)
                                 : std::numeric_limits<float>::quiet_NaN();
    return numbers;
}

float numpy_sum(const float* data, size_t count) {
    float total = 0;
    for (size_t start = 0; start < count; start += kSumChunk)
        total += plain_sum(data + start, std::min(kSumChunk, count - start));
    return total;
}

}  // namespace npuscope::msaccucmp
