#include "npu_backend/numerics/gemm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel/parallel_for.h"
#include "npu_backend/numerics/gemm_kernels.h"

namespace npuscope::backend {

namespace {

/// Values of k whose part of a right panel stays in the first-level cache.
constexpr int64_t kDepthBlock = 256;
/// Columns of one task, and rows where columns are few.
constexpr int64_t kTaskColumns = 256;
constexpr int64_t kTaskRows = 384;
/// Rows of the left side whose part of kDepthBlock stays in the second-level cache.
constexpr int64_t kCachedRows = 384;
/// Values of k that are asked for ahead of their packing.
constexpr int64_t kAhead = 16;
/// Below this many multiplications threads cost more than they give.
constexpr int64_t kFewMultiplications = 100'000;

template <class T>
void pack_lines(
    const Lines<T>& from, int64_t first, int64_t count, int64_t width, int64_t depth, T* panel) {
    const T* base = from.data + first * from.line_stride;
    if (from.line_stride == 1) {
        // Each k may be in a page of its own, which no processor foresees.
        for (int64_t k = 0; k < depth; ++k) {
            __builtin_prefetch(base + std::min(k + kAhead, depth - 1) * from.k_stride);
            std::copy_n(base + k * from.k_stride, count, panel + k * width);
            std::fill(panel + k * width + count, panel + (k + 1) * width, T{0});
        }
        return;
    }
    // Lines of contiguous k: a few k at a time, so that both sides stay in cache.
    constexpr int64_t kStrip = 16;
    for (int64_t start = 0; start < depth; start += kStrip) {
        const int64_t end = std::min(depth, start + kStrip);
        for (int64_t i = 0; i < width; ++i)
            for (int64_t k = start; k < end; ++k)
                panel[k * width + i] =
                    i < count ? base[i * from.line_stride + k * from.k_stride] : T{0};
    }
}

/// One operand's panels against the other's, tile by tile.
template <class T>
class Tiles {
  public:
    Tiles(const Chains<T>& chains, const TileKernels<T>& kernels, bool exact_products)
        : chains_(chains), kernels_(kernels), exact_(exact_products) {}

    /// Adds a [depth, rows] times b [depth, columns] to c from (row, column) on.
    void add(int64_t depth, const T* a, const T* b, int64_t row, int64_t column) {
        const int64_t columns = std::min(kernels_.columns, chains_.n - column);
        int64_t rows = std::min(kernels_.rows, chains_.m - row);
        T* c = chains_.c + row * chains_.ldc + column;
        for (const TileHeight<T>& height : kernels_.heights)
            for (; rows >= height.rows; rows -= height.rows) {
                const TileKernel<T> kernel = exact_ ? height.fused : height.separate;
                if (columns == kernels_.columns)
                    kernel(depth, a, b, c, chains_.ldc);
                else
                    through_buffer([&](T* into, int64_t ldc) { kernel(depth, a, b, into, ldc); },
                                   c,
                                   height.rows,
                                   columns);
                a += height.rows;
                c += height.rows * chains_.ldc;
            }
    }

  private:
    /// A tile at the rim: `add_tile` adds to a whole one.
    template <class AddTile>
    void through_buffer(AddTile&& add_tile, T* c, int64_t rows, int64_t columns) {
        buffer_.assign(static_cast<size_t>(rows * kernels_.columns), T{0});
        for (int64_t i = 0; i < rows; ++i)
            std::copy_n(c + i * chains_.ldc, columns, buffer_.data() + i * kernels_.columns);
        add_tile(buffer_.data(), kernels_.columns);
        for (int64_t i = 0; i < rows; ++i)
            std::copy_n(buffer_.data() + i * kernels_.columns, columns, c + i * chains_.ldc);
    }

    const Chains<T>& chains_;
    const TileKernels<T>& kernels_;
    bool exact_;
    std::vector<T> buffer_;
};

}  // namespace

template <class T>
PackedLeft<T>::PackedLeft(const Lines<T>& a, int64_t m, int64_t k, int threads)
    : height_(tile_kernels<T>().rows), depth_(k) {
    const int64_t panels = ceil_div(m, height_);
    panels_ = Buffer<T>(static_cast<size_t>(panels * height_ * depth_));
    parallel_for(panels, m * k < kFewMultiplications ? 1 : threads, [&](int64_t panel) {
        const int64_t first = panel * height_;
        pack_lines(a,
                   first,
                   std::min(height_, m - first),
                   height_,
                   depth_,
                   panels_.data() + first * depth_);
    });
}

template <class T>
PackPanel<T> stored(const Lines<T>& b, int64_t k) {
    return [b, k](int64_t first, int64_t count, int64_t width, T* panel) {
        pack_lines(b, first, count, width, k, panel);
    };
}

template <class T>
void gemm(const Chains<T>& chains,
          const PackedLeft<T>& left,
          const PackPanel<T>& pack_right,
          bool exact_products,
          int threads) {
    const int64_t m = chains.m;
    const int64_t n = chains.n;
    const int64_t k = chains.k;
    if (m == 0 || n == 0 || k == 0) return;
    const TileKernels<T> kernels = tile_kernels<T>();
    const int64_t column_block = ceil_div(kTaskColumns, kernels.columns) * kernels.columns;
    const int64_t row_block =
        n <= 2 * column_block ? ceil_div(kTaskRows, kernels.rows) * kernels.rows : m;
    const int64_t cached_rows = kCachedRows / kernels.rows * kernels.rows;
    const int64_t column_tasks = ceil_div(n, column_block);
    const int64_t tasks = column_tasks * ceil_div(m, row_block);
    parallel_for(tasks, m * n * k < kFewMultiplications ? 1 : threads, [&](int64_t task) {
        const int64_t first_column = task % column_tasks * column_block;
        const int64_t last_column = std::min(n, first_column + column_block);
        const int64_t first_row = task / column_tasks * row_block;
        const int64_t last_row = std::min(m, first_row + row_block);
        const int64_t panels = ceil_div(last_column - first_column, kernels.columns);
        Buffer<T> right(static_cast<size_t>(panels * kernels.columns * k));
        for (int64_t p = 0; p < panels; ++p) {
            const int64_t column = first_column + p * kernels.columns;
            pack_right(column,
                       std::min(kernels.columns, last_column - column),
                       kernels.columns,
                       right.data() + p * kernels.columns * k);
        }
        Tiles<T> tiles(chains, kernels, exact_products);
        // A part of the left side that stays in the second-level cache, times every panel.
        for (int64_t start = 0; start < k; start += kDepthBlock)
            for (int64_t top = first_row; top < last_row; top += cached_rows) {
                const int64_t depth = std::min(kDepthBlock, k - start);
                const int64_t bottom = std::min(last_row, top + cached_rows);
                for (int64_t p = 0; p < panels; ++p) {
                    const T* b = right.data() + (p * k + start) * kernels.columns;
                    for (int64_t row = top; row < bottom; row += kernels.rows)
                        tiles.add(depth,
                                  left.panel(row / kernels.rows) + start * kernels.rows,
                                  b,
                                  row,
                                  first_column + p * kernels.columns);
                }
            }
    });
}

const char* gemm_target() {
    return tile_target();
}

#define NPUSCOPE_GEMM(T)                                       \
    template class PackedLeft<T>;                              \
    template PackPanel<T> stored<T>(const Lines<T>&, int64_t); \
    template void gemm<T>(const Chains<T>&, const PackedLeft<T>&, const PackPanel<T>&, bool, int);
NPUSCOPE_GEMM(float)
NPUSCOPE_GEMM(double)
#undef NPUSCOPE_GEMM

}  // namespace npuscope::backend
