// The innermost loops of the matrix product, chosen at run time for the processor.
#pragma once

#include <array>
#include <cstdint>

namespace npuscope::backend {

/// Below this many multiplications of a block, threads cost more than they give.
inline constexpr int64_t kFewForThreads = 20'000;

[[nodiscard]] constexpr int64_t ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// One tile of c: some rows x `columns` chains over `depth` values of k, from a panel of the left
/// side [depth, TileKernels::rows] and one of the right side [depth, columns].
template <class T>
using TileKernel = void (*)(int64_t depth, const T* a, const T* b, T* c, int64_t ldc);

/// The tile of a blockwise exact sum. c holds float32 values; each `block` of k is added to them in
/// double, then rounded to float32.
struct BlockTile {
    int64_t depth, block;
    const double* a;
    const double* b;
    /// The sums are exact while each c that enters a block is at least 1 / inverse_low[block], and
    /// less than `limit`; otherwise doubtful[row * columns + column] is set, and that chain must be
    /// computed by other means.
    const double* inverse_low;
    bool starts_at_zero;  ///< every c is 0 before the first block, which is exact then
    double limit;
    double* c;
    int64_t ldc;
    uint8_t* doubtful;
};
using BlockTileKernel = void (*)(const BlockTile& tile);

/// The same sums where no c that enters a block may be too small or too large: bits of float32
/// magnitudes. A c of 0 is never too small.
struct PlainBlockTile {
    int64_t depth, block;
    const double* a;
    const double* b;
    uint32_t least, most;
    double* c;
    int64_t ldc;
};
/// False, and c as it was, when one was.
using PlainBlockTileKernel = bool (*)(const PlainBlockTile& tile);

/// The kernels for one height of a tile.
template <class T>
struct TileHeight {
    int64_t rows;
    TileKernel<T> fused;     ///< may fuse multiplication and addition: for exact products
    TileKernel<T> separate;  ///< rounds the product, then the sum
};

template <class T>
struct TileKernels {
    int64_t rows, columns;
    std::array<TileHeight<T>, 4> heights;  ///< falling, from `rows` to 1
};

template <class T>
[[nodiscard]] TileKernels<T> tile_kernels();

struct BlockTileKernels {
    int64_t rows, columns;
    PlainBlockTileKernel plain;  ///< fast
    BlockTileKernel doubting;    ///< tells which chains to compute by other means
};
[[nodiscard]] BlockTileKernels block_tile_kernels();

/// Exact. False when an element is inf or nan.
bool widen_halves(const uint16_t* from, float* to, int64_t count);

[[nodiscard]] bool finite_floats(const float* values, int64_t count);

[[nodiscard]] const char* tile_target();

}  // namespace npuscope::backend
