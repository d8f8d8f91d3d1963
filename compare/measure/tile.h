// One tile of a tensor pair: the golden side rounded to the target's dtype, and what is no pair of
// finite elements counted and taken out.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "compare/measure/accumulate.h"
#include "compare/measure/pair_terms.h"
#include "compare/measure/sums.h"
#include "core/dtype/dtype.h"
#include "core/dtype/extremes.h"

namespace npuscope::compare {

/// Bytes.
inline constexpr size_t kLargestElement = 8;

/// Whether the golden element `original`, before rounding, lies outside the range of T.
template <class T, class G>
bool leaves_range(G original, T rounded) {
    if constexpr (std::is_same_v<T, G> || std::is_same_v<G, bool>) {
        return false;
    } else if constexpr (kIsFloat<T>) {
        return std::isfinite(to_double(original)) && !std::isfinite(to_double(rounded));
    } else if constexpr (std::is_same_v<T, bool>) {
        return original != static_cast<G>(rounded);
    } else {
        return static_cast<G>(rounded) != original || (original < G{}) != (rounded < T{});
    }
}

/// Marks the golden elements, before rounding, that lie outside the range of T; `rounded` are they
/// after it.
template <class T>
void mark_out_of_range(
    const void* originals, DType golden_dtype, const T* rounded, size_t count, bool* out) {
    visit_dtype(golden_dtype, [&]<class G>() {
        if constexpr (kIsFloat<T> == kIsFloat<G>) {
            const auto* const elements = static_cast<const G*>(originals);
            for (size_t i = 0; i < count; ++i)
                out[i] = leaves_range<T, G>(elements[i], rounded[i]);
        }
    });
}

/// Large; lives on a thread's stack for one tile.
template <class T>
struct Tile {
    size_t count = 0;
    DType golden_dtype;
    std::array<T, kTile> target;
    alignas(kLargestElement) std::array<std::byte, kTile * kLargestElement> original;
    std::array<T, kTile> golden;
    size_t pairs = 0;
    std::array<int32_t, kTile> at;  ///< element of each pair

    Tile(const std::byte* target_bytes,
         const std::byte* golden_bytes,
         DType golden_is,
         size_t elements)
        : count(elements), golden_dtype(golden_is) {
        std::memcpy(target.data(), target_bytes, count * sizeof(T));
        std::memcpy(original.data(), golden_bytes, count * size_of(golden_dtype));
        convert_elements(original.data(), golden_dtype, golden.data(), kDTypeOf<T>, count);
    }

    /// Counts non-finite and out-of-range elements and collects the pairs. Indices count from
    /// `start`.
    void classify(int64_t start, Sums& sums) {
        sums.numel = static_cast<int64_t>(count);
        std::array<bool, kTile> beyond;
        mark_out_of_range(original.data(), golden_dtype, golden.data(), count, beyond.data());
        for (size_t i = 0; i < count; ++i) {
            const double t = to_double(target[i]);
            const double g = to_double(golden[i]);
            const bool out = beyond[i];
            if (std::isfinite(t) && std::isfinite(g) && !out) {
                at[pairs++] = static_cast<int32_t>(i);
                continue;
            }
            if (out && are_near_extremes(t, kDTypeOf<T>, original_at(i), golden_dtype)) {
                // Masked on both sides.
                golden[i] = target[i];
                if (std::isfinite(t)) at[pairs++] = static_cast<int32_t>(i);
                continue;
            }
            sums.target_nan += std::isnan(t) ? 1 : 0;
            sums.target_inf += std::isinf(t) ? 1 : 0;
            if (out) {
                ++sums.golden_out_of_range;
                if (sums.first_out_of_range < 0)
                    sums.first_out_of_range = start + static_cast<int64_t>(i);
                continue;
            }
            sums.golden_nan += std::isnan(g) ? 1 : 0;
            sums.golden_inf += std::isinf(g) ? 1 : 0;
            const bool same = (std::isnan(t) && std::isnan(g)) || t == g;
            if (same) continue;
            ++sums.nonfinite_differs;
            if (sums.first_nonfinite < 0) sums.first_nonfinite = start + static_cast<int64_t>(i);
        }
        sums.pairs = static_cast<int64_t>(pairs);
    }

    /// Before rounding; not for speed.
    [[nodiscard]] double original_at(size_t i) const {
        return visit_dtype(golden_dtype, [&]<class G>() {
            G element;
            std::memcpy(&element, original.data() + i * sizeof(G), sizeof(G));
            return to_double(element);
        });
    }
    [[nodiscard]] T pair_target(size_t p) const { return target[static_cast<size_t>(at[p])]; }
    [[nodiscard]] T pair_golden(size_t p) const { return golden[static_cast<size_t>(at[p])]; }
};

}  // namespace npuscope::compare
