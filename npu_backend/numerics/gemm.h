// Matrix products whose bits depend on neither machine nor threads: every element of the result is
// one chain over k, so that wider vectors only compute more chains at once.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/memory_block.h"

namespace npuscope::backend {

/// One operand as the packing reads it: element (line, k) is data[line * line_stride + k *
/// k_stride]. A line is a row of the left side or a column of the right one. Borrowed.
template <class T>
struct Lines {
    const T* data;
    int64_t line_stride;
    int64_t k_stride;
};

/// Writes panel[k * width + i] = element (first + i, k) for k in [0, depth) and i in [0, count);
/// the rest up to width is filled with 0.
template <class T>
using PackPanel = std::function<void(int64_t first, int64_t count, int64_t width, T* panel)>;

/// c[m, n] with ldc elements between rows; holds the first values of the accumulators.
template <class T>
struct Chains {
    T* c;
    int64_t ldc;
    int64_t m, n, k;
};

/// The left side in panels of the kernel's height, all of k.
template <class T>
class PackedLeft {
  public:
    PackedLeft(const Lines<T>& a, int64_t m, int64_t k, int threads);
    [[nodiscard]] const T* panel(int64_t index) const {
        return panels_.data() + index * height_ * depth_;
    }

  private:
    int64_t height_;
    int64_t depth_;
    Buffer<T> panels_;
};

/// acc = round(acc + round(a b)) for each k, ascending. With `exact_products` multiplication and
/// addition may be fused, which gives the same bits then. `pack_right` packs columns; it may be
/// called from several threads at once.
template <class T>
void gemm(const Chains<T>& chains,
          const PackedLeft<T>& left,
          const PackPanel<T>& pack_right,
          bool exact_products,
          int threads);

/// The packing of a right side that is stored.
template <class T>
[[nodiscard]] PackPanel<T> stored(const Lines<T>& b, int64_t k);

/// The vector instructions in use, by Highway's names: AVX3, AVX2, SSE2, NEON, …
[[nodiscard]] const char* gemm_target();

}  // namespace npuscope::backend
