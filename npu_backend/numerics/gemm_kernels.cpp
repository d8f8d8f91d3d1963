#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "npu_backend/numerics/gemm_kernels.cpp"
#include "npu_backend/numerics/gemm_kernels.h"

#include <bit>
#include <cmath>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/base/vector_targets.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Accumulators, two right vectors and one left value must fit the registers.
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
constexpr int kRows = 12;
#elif HWY_TARGET == HWY_NEON
constexpr int kRows = 12;
#else
constexpr int kRows = 6;
#endif
constexpr int kVectors = 2;

#if defined(__clang__)
#define NPUSCOPE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define NPUSCOPE_UNROLL _Pragma("GCC unroll 16")
#endif

// NOLINTBEGIN(readability-function-size): accumulators stay in registers within one function only.

/// The left panel has kRows rows whatever the height of the tile.
template <class T, bool kFused, int kHeight>
HWY_NOINLINE void tile(int64_t depth, const T* a, const T* b, T* c, int64_t ldc) {
    const hn::ScalableTag<T> d;
    using V = hn::Vec<decltype(d)>;
    const size_t lanes = hn::Lanes(d);
    V acc[kHeight][kVectors];
    NPUSCOPE_UNROLL
    for (int i = 0; i < kHeight; ++i) {
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            acc[i][j] = hn::LoadU(d, c + i * ldc + j * static_cast<int64_t>(lanes));
    }
    for (int64_t k = 0; k < depth; ++k) {
        V right[kVectors];
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            right[j] = hn::LoadU(d, b + static_cast<size_t>(j) * lanes);
        NPUSCOPE_UNROLL
        for (int i = 0; i < kHeight; ++i) {
            const V left = hn::Set(d, a[i]);
            NPUSCOPE_UNROLL
            for (int j = 0; j < kVectors; ++j) {
                if constexpr (kFused) {
                    acc[i][j] = hn::MulAdd(left, right[j], acc[i][j]);
                } else {
                    acc[i][j] = hn::Add(acc[i][j], hn::Mul(left, right[j]));
                }
            }
        }
        a += kRows;
        b += kVectors * lanes;
    }
    NPUSCOPE_UNROLL
    for (int i = 0; i < kHeight; ++i) {
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            hn::StoreU(acc[i][j], d, c + i * ldc + j * static_cast<int64_t>(lanes));
    }
}

/// Of one block; moves a and b behind it. No product rounds, so each may be fused with its sum.
template <class V>
HWY_INLINE void add_products(int64_t count,
                             const double*& a,
                             const double*& b,
                             V (&acc)[kRows][kVectors]) {
    const hn::ScalableTag<double> d;
    const size_t lanes = hn::Lanes(d);
    for (int64_t k = 0; k < count; ++k) {
        V right[kVectors];
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            right[j] = hn::LoadU(d, b + static_cast<size_t>(j) * lanes);
        NPUSCOPE_UNROLL
        for (int i = 0; i < kRows; ++i) {
            const V left = hn::Set(d, a[i]);
            NPUSCOPE_UNROLL
            for (int j = 0; j < kVectors; ++j)
                acc[i][j] = hn::MulAdd(left, right[j], acc[i][j]);
        }
        a += kRows;
        b += kVectors * lanes;
    }
}

HWY_NOINLINE void block_tile(const BlockTile& tile) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> narrow;
    using V = hn::Vec<decltype(d)>;
    const size_t lanes = hn::Lanes(d);
    const double* a = tile.a;
    const double* b = tile.b;
    V acc[kRows][kVectors];
    V low[kRows][kVectors];  // more than the registers hold, but read once a block
    V high = hn::Zero(d);
    NPUSCOPE_UNROLL
    for (int i = 0; i < kRows; ++i) {
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            low[i][j] = hn::Set(d, 1.0);
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            acc[i][j] = hn::LoadU(d, tile.c + i * tile.ldc + j * static_cast<int64_t>(lanes));
    }
    for (int64_t start = 0; start < tile.depth; start += tile.block) {
        if (start != 0 || !tile.starts_at_zero) {
            const V inverse = hn::Set(d, tile.inverse_low[start / tile.block]);
            NPUSCOPE_UNROLL
            for (int i = 0; i < kRows; ++i) {
                NPUSCOPE_UNROLL
                for (int j = 0; j < kVectors; ++j) {
                    const V size = hn::Abs(acc[i][j]);
                    low[i][j] = hn::Min(hn::Mul(size, inverse), low[i][j]);
                    high = hn::Max(size, high);
                }
            }
        }
        const int64_t end = start + tile.block < tile.depth ? start + tile.block : tile.depth;
        add_products(end - start, a, b, acc);
        NPUSCOPE_UNROLL
        for (int i = 0; i < kRows; ++i) {
            NPUSCOPE_UNROLL
            for (int j = 0; j < kVectors; ++j)
                acc[i][j] = hn::PromoteTo(d, hn::DemoteTo(narrow, acc[i][j]));
        }
    }
    NPUSCOPE_UNROLL
    for (int i = 0; i < kRows; ++i) {
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            hn::StoreU(acc[i][j], d, tile.c + i * tile.ldc + j * static_cast<int64_t>(lanes));
    }
    HWY_ALIGN double lane_values[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(high, d, lane_values);
    bool within = true;
    for (size_t lane = 0; lane < lanes; ++lane)
        within = within && lane_values[lane] < tile.limit;
    uint8_t* doubtful = tile.doubtful;
    for (int i = 0; i < kRows; ++i)
        for (int j = 0; j < kVectors; ++j) {
            hn::Store(low[i][j], d, lane_values);
            for (size_t lane = 0; lane < lanes; ++lane)
                *doubtful++ = !within || !(lane_values[lane] >= 1.0);
        }
}

HWY_NOINLINE bool plain_block_tile(const PlainBlockTile& tile) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> narrow;
    const hn::RebindToUnsigned<decltype(narrow)> bits;
    using V = hn::Vec<decltype(d)>;
    const size_t lanes = hn::Lanes(d);
    const double* a = tile.a;
    const double* b = tile.b;
    const auto magnitude = hn::Set(bits, 0x7fffffffu);
    const auto one = hn::Set(bits, 1u);
    auto low = magnitude;  // of bits - 1, which is largest for 0
    auto high = hn::Zero(bits);
    V acc[kRows][kVectors];
    // Rounds a sum to float32, and looks at it.
    const auto entering = [&](V sum) HWY_ATTR {
        const auto rounded = hn::DemoteTo(narrow, sum);
        const auto size = hn::And(hn::BitCast(bits, rounded), magnitude);
        high = hn::Max(high, size);
        low = hn::Min(low, hn::Sub(size, one));
        return hn::PromoteTo(d, rounded);
    };
    NPUSCOPE_UNROLL
    for (int i = 0; i < kRows; ++i) {
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            acc[i][j] =
                entering(hn::LoadU(d, tile.c + i * tile.ldc + j * static_cast<int64_t>(lanes)));
    }
    for (int64_t start = 0; start < tile.depth; start += tile.block) {
        const int64_t end = start + tile.block < tile.depth ? start + tile.block : tile.depth;
        add_products(end - start, a, b, acc);
        NPUSCOPE_UNROLL
        for (int i = 0; i < kRows; ++i) {
            NPUSCOPE_UNROLL
            for (int j = 0; j < kVectors; ++j)
                acc[i][j] = entering(acc[i][j]);
        }
    }
    const auto most = hn::Set(bits, tile.most);
    const auto least = hn::Set(bits, tile.least - 1);
    if (!hn::AllTrue(bits, hn::Eq(hn::Max(high, most), most)) ||
        !hn::AllTrue(bits, hn::Eq(hn::Min(low, least), least)))
        return false;
    NPUSCOPE_UNROLL
    for (int i = 0; i < kRows; ++i) {
        NPUSCOPE_UNROLL
        for (int j = 0; j < kVectors; ++j)
            hn::StoreU(acc[i][j], d, tile.c + i * tile.ldc + j * static_cast<int64_t>(lanes));
    }
    return true;
}

// NOLINTEND(readability-function-size)

/// By integers, so that every instruction set has it: the exponent is moved, subnormals are made
/// normal by a multiplication with a power of two.
HWY_NOINLINE bool widen(const uint16_t* from, float* to, int64_t count) {
    const hn::ScalableTag<float> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<uint16_t, decltype(d)> du16;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto magnitude_mask = hn::Set(du, 0x7fffu);
    const auto infinity = hn::Set(du, 0x7c00u);
    const auto scale = hn::Set(d, 0x1p112f);
    auto worst = hn::Zero(du);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto bits = hn::PromoteTo(du, hn::LoadU(du16, from + i));
        const auto magnitude = hn::And(bits, magnitude_mask);
        worst = hn::Max(worst, magnitude);
        const auto sign = hn::ShiftLeft<16>(hn::Xor(bits, magnitude));
        const auto value = hn::Mul(hn::BitCast(d, hn::ShiftLeft<13>(magnitude)), scale);
        hn::StoreU(hn::Or(value, hn::BitCast(d, sign)), d, to + i);
    }
    bool finite = hn::AllTrue(du, hn::Lt(worst, infinity));
    for (; i < count; ++i) {
        const uint32_t magnitude = from[i] & 0x7fffu;
        const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
        to[i] = (from[i] & 0x8000u) != 0 ? -value : value;
        finite = finite && magnitude < 0x7c00u;
    }
    return finite;
}

bool finite(const float* values, int64_t count) {
    const hn::ScalableTag<float> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto infinity = hn::Set(du, 0x7f800000u);
    auto worst = hn::Zero(du);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        worst = hn::Max(worst, hn::BitCast(du, hn::Abs(hn::LoadU(d, values + i))));
    bool all = hn::AllTrue(du, hn::Lt(worst, infinity));
    for (; i < count; ++i)
        all = all && std::isfinite(values[i]);
    return all;
}

int64_t float_columns() {
    return kVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<float>()));
}
int64_t double_columns() {
    return kVectors * static_cast<int64_t>(hn::Lanes(hn::ScalableTag<double>()));
}

template <class T, int kHeight>
TileHeight<T> tile_height() {
    return {kHeight, tile<T, true, kHeight>, tile<T, false, kHeight>};
}
template <class T>
TileKernels<T> kernels_of(int64_t columns) {
    return {kRows,
            columns,
            {tile_height<T, kRows>(),
             tile_height<T, kRows * 2 / 3>(),
             tile_height<T, kRows / 3>(),
             tile_height<T, 1>()}};
}
TileKernels<float> float_kernels() {
    return kernels_of<float>(float_columns());
}
TileKernels<double> double_kernels() {
    return kernels_of<double>(double_columns());
}
BlockTileKernels block_kernels() {
    return {kRows, double_columns(), plain_block_tile, block_tile};
}
const char* target() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace npuscope::backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope::backend {

HWY_EXPORT(float_kernels);
HWY_EXPORT(double_kernels);
HWY_EXPORT(block_kernels);
HWY_EXPORT(widen);
HWY_EXPORT(finite);
HWY_EXPORT(target);

template <>
TileKernels<float> tile_kernels<float>() {
    return HWY_DYNAMIC_DISPATCH(float_kernels)();
}

template <>
TileKernels<double> tile_kernels<double>() {
    return HWY_DYNAMIC_DISPATCH(double_kernels)();
}

BlockTileKernels block_tile_kernels() {
    return HWY_DYNAMIC_DISPATCH(block_kernels)();
}

bool widen_halves(const uint16_t* from, float* to, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(widen)(from, to, count);
}

bool finite_floats(const float* values, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(finite)(values, count);
}

const char* tile_target() {
    return HWY_DYNAMIC_DISPATCH(target)();
}

}  // namespace npuscope::backend
#endif
