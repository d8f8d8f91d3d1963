#include "compare/measure/accumulate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <memory>
#include <vector>

#include "compare/measure/float_pairs.h"
#include "compare/measure/pair_terms.h"
#include "compare/measure/tile.h"
#include "core/base/error.h"
#include "core/parallel/parallel_for.h"

namespace npuscope::compare {

namespace {

constexpr int64_t kGroup = 32;               ///< tiles that one thread takes at a time
constexpr int64_t kKept = int64_t{4} << 20;  ///< elements that may stay in memory between passes
/// Elements that are worth a call of the system when they are not needed any more.
constexpr int64_t kReleased = int64_t{1} << 17;

/// Elements that float32 holds, and that the vector code measures.
template <class T>
constexpr bool kFitsFloat = kIsFloat<T> && sizeof(T) <= sizeof(float);

Moments moments_of(const double* values, size_t count) {
    Moments moments;
    if (count == 0) return moments;
    moments.count = static_cast<double>(count);
    double sum = 0;
    for (size_t i = 0; i < count; ++i)
        sum += values[i];
    moments.mean = sum / moments.count;
    for (size_t i = 0; i < count; ++i) {
        const double shift = values[i] - moments.mean;
        moments.squares += shift * shift;
    }
    return moments;
}

/// The tile's floats, converted where the dtype is shorter.
const float* as_floats(const std::byte* elements, DType dtype, size_t count, float* buffer) {
    const bool aligned = reinterpret_cast<uintptr_t>(elements) % alignof(float) == 0;
    if (dtype == DType::kFloat32 && aligned) return reinterpret_cast<const float*>(elements);
    convert_elements(elements, dtype, buffer, DType::kFloat32, count);
    return buffer;
}

/// Scratch of one thread.
struct Scratch {
    std::vector<std::byte> target;
    std::vector<std::byte> golden;
    std::array<float, kTile> t;
    std::array<float, kTile> g;
    std::array<double, kTile> wide;
};

template <class T>
class Accumulation {
  public:
    Accumulation(const ElementSource& target, const ElementSource& golden, int threads)
        : target_(target),
          golden_(golden),
          threads_(threads),
          groups_((target.numel() + kGroupElements - 1) / kGroupElements) {}

    Sums measure() const {
        return merged([&](int64_t start, size_t count, Scratch& scratch, Sums& group) {
            Sums tile;
            add_tile(start, count, scratch, group, tile);
            group.merge(tile);
        });
    }

    /// The second pass; only the divergence's sums are filled.
    Sums diverge(const Sums& total) const {
        return merged([&](int64_t start, size_t count, Scratch& scratch, Sums& group) {
            add_divergence(start, count, scratch, total, group);
        });
    }

  private:
    static constexpr int64_t kGroupElements = kGroup * static_cast<int64_t>(kTile);

    template <class AddTile>
    Sums merged(const AddTile& add) const {
        std::vector<Sums> parts(static_cast<size_t>(groups_));
        parallel_for(groups_, threads_, [&](int64_t index) {
            thread_local const auto scratch = std::make_unique<Scratch>();
            const int64_t first = index * kGroupElements;
            const int64_t last = std::min(target_.numel(), first + kGroupElements);
            Sums& part = parts[static_cast<size_t>(index)];
            for (int64_t start = first; start < last; start += static_cast<int64_t>(kTile))
                add(start,
                    static_cast<size_t>(std::min(static_cast<int64_t>(kTile), last - start)),
                    *scratch,
                    part);
            if (target_.numel() <= kKept) return;
            target_.release(first, last - first);
            golden_.release(first, last - first);
        });
        Sums total;
        for (const Sums& part : parts)
            total.merge(part);
        return total;
    }

    const std::byte* target_bytes(int64_t start, size_t count, Scratch& scratch) const {
        return target_.range(start, static_cast<int64_t>(count), scratch.target);
    }
    const std::byte* golden_bytes(int64_t start, size_t count, Scratch& scratch) const {
        return golden_.range(start, static_cast<int64_t>(count), scratch.golden);
    }

    /// The pairs as floats when the tile has no other elements, else false.
    bool plain_floats(const std::byte* t,
                      const std::byte* g,
                      size_t count,
                      Scratch& scratch,
                      const float*& t_floats,
                      const float*& g_floats) const {
        const DType golden = golden_.dtype();
        if constexpr (kFitsFloat<T>) {
            if (golden == DType::kFloat64) return false;
            t_floats = as_floats(t, kDTypeOf<T>, count, scratch.t.data());
            if (std::is_same_v<T, float> || golden == kDTypeOf<T>) {
                g_floats = as_floats(g, golden, count, scratch.g.data());
            } else {
                std::array<T, kTile> rounded;
                convert_elements(g, golden, rounded.data(), kDTypeOf<T>, count);
                g_floats = as_floats(reinterpret_cast<const std::byte*>(rounded.data()),
                                     kDTypeOf<T>,
                                     count,
                                     scratch.g.data());
            }
            return true;
        }
        return false;
    }

    void add_tile(
        int64_t start, size_t count, Scratch& scratch, const Sums& group, Sums& sums) const {
        const std::byte* t = target_bytes(start, count, scratch);
        const std::byte* g = golden_bytes(start, count, scratch);
        const float* t_floats = nullptr;
        const float* g_floats = nullptr;
        if (plain_floats(t, g, count, scratch, t_floats, g_floats) &&
            add_float_pairs(t_floats, g_floats, count, sums)) {
            if constexpr (sizeof(T) < sizeof(float))
                sums.max_ulp = largest_distance(t_floats, g_floats, count);
            if (is_new_maximum(sums, group))
                sums.max_d_at =
                    start + static_cast<int64_t>(place_of(t_floats, g_floats, count, sums.max_d));
            return;
        }
        sums = {};
        Tile<T> tile(t, g, golden_.dtype(), count);
        tile.classify(start, sums);
        add_pairs(tile, scratch, sums);
        if (tile.pairs > 0 && is_new_maximum(sums, group))
            for (size_t p = 0; p < tile.pairs && sums.max_d_at < 0; ++p)
                if (difference(tile.pair_target(p), tile.pair_golden(p)) == sums.max_d)
                    sums.max_d_at = start + tile.at[p];
    }

    /// Whether the tile's largest difference is the group's so far; only then its place is looked
    /// for.
    static bool is_new_maximum(const Sums& tile, const Sums& group) {
        return group.max_d_at < 0 || tile.max_d > group.max_d;
    }

    static size_t place_of(const float* t, const float* g, size_t count, double largest) {
        size_t i = 0;
        while (i + 1 < count && difference(t[i], g[i]) != largest)
            ++i;
        return i;
    }

    /// In units of T, which is shorter than float32: its values are exact there.
    static double largest_distance(const float* t, const float* g, size_t count) {
        std::array<T, kTile> a;
        std::array<T, kTile> b;
        convert_elements(t, DType::kFloat32, a.data(), kDTypeOf<T>, count);
        convert_elements(g, DType::kFloat32, b.data(), kDTypeOf<T>, count);
        int32_t most = 0;
        for (size_t i = 0; i < count; ++i)
            most = std::max(most, std::abs(ordered(a[i]) - ordered(b[i])));
        return most;
    }
    /// Bits of a 16-bit float as integers that follow the order of the values; -0 is +0.
    static int32_t ordered(T value) {
        if constexpr (sizeof(T) == 2) {
            const auto bits = std::bit_cast<uint16_t>(value);
            const int32_t magnitude = bits & 0x7fff;
            return (bits & 0x8000) != 0 ? -magnitude : magnitude;
        }
        return 0;
    }

    static void add_pairs(const Tile<T>& tile, Scratch& scratch, Sums& sums) {
        if constexpr (kFitsFloat<T>) {
            for (size_t p = 0; p < tile.pairs; ++p) {
                scratch.t[p] = to_float32(tile.pair_target(p));
                scratch.g[p] = to_float32(tile.pair_golden(p));
            }
            Sums finite;
            static_cast<void>(
                add_float_pairs(scratch.t.data(), scratch.g.data(), tile.pairs, finite));
            if constexpr (sizeof(T) < sizeof(float))
                finite.max_ulp = largest_distance(scratch.t.data(), scratch.g.data(), tile.pairs);
            finite.numel = finite.pairs = 0;
            sums.merge(finite);
            return;
        }
        for (size_t p = 0; p < tile.pairs; ++p) {
            const T t = tile.pair_target(p);
            const T g = tile.pair_golden(p);
            add_values(to_double(t), to_double(g), difference(t, g), sums);
            sums.max_ulp = std::max(sums.max_ulp, distance(t, g));
            scratch.wide[p] = to_double(t);
        }
        sums.t = moments_of(scratch.wide.data(), tile.pairs);
        for (size_t p = 0; p < tile.pairs; ++p)
            scratch.wide[p] = to_double(tile.pair_golden(p));
        sums.g = moments_of(scratch.wide.data(), tile.pairs);
    }
    static float to_float32(T value) { return static_cast<float>(to_double(value)); }

    void add_divergence(
        int64_t start, size_t count, Scratch& scratch, const Sums& total, Sums& sums) const {
        const std::byte* t = target_bytes(start, count, scratch);
        const std::byte* g = golden_bytes(start, count, scratch);
        const float* t_floats = nullptr;
        const float* g_floats = nullptr;
        if (total.pairs == total.numel && plain_floats(t, g, count, scratch, t_floats, g_floats)) {
            add_float_divergence(t_floats, g_floats, count, total, sums);
            return;
        }
        Tile<T> tile(t, g, golden_.dtype(), count);
        Sums ignored;
        tile.classify(start, ignored);
        const Mass p_of = Mass::between(total.min_t, total.max_t);
        const Mass q_of = Mass::between(total.min_g, total.max_g);
        for (size_t p = 0; p < tile.pairs; ++p)
            add_masses(
                p_of(to_double(tile.pair_target(p))), q_of(to_double(tile.pair_golden(p))), sums);
    }

    const ElementSource& target_;
    const ElementSource& golden_;
    int threads_;
    int64_t groups_;
};

template <class T>
Sums accumulate_as(const ElementSource& target,
                   const ElementSource& golden,
                   bool divergence,
                   int threads) {
    const Accumulation<T> accumulation(target, golden, threads);
    Sums total = accumulation.measure();
    if (divergence && total.pairs > 0) {
        const Sums second = accumulation.diverge(total);
        total.sum_p = second.sum_p;
        total.sum_q = second.sum_q;
        total.sum_p_log = second.sum_p_log;
    }
    const int64_t kept = target.numel();
    if (kept >= kReleased && kept <= kKept) {
        target.release(0, kept);
        golden.release(0, kept);
    }
    return total;
}

}  // namespace

bool are_comparable(DType target, DType golden) {
    return is_float(target) == is_float(golden);
}

Sums accumulate(const ElementSource& target,
                const ElementSource& golden,
                bool divergence,
                int threads) {
    if (target.numel() != golden.numel() || !are_comparable(target.dtype(), golden.dtype()))
        throw Error(ErrorKind::kInternal, "accumulate: the tensors cannot be compared");
    return visit_dtype(target.dtype(), [&]<class T>() {
        return accumulate_as<T>(target, golden, divergence, threads);
    });
}

Sums accumulate(const Tensor& target, const Tensor& golden, bool divergence, int threads) {
    return accumulate(TensorElements(target), TensorElements(golden), divergence, threads);
}

}  // namespace npuscope::compare
