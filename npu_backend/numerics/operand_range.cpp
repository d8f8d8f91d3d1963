#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "npu_backend/numerics/operand_range.cpp"
#include "npu_backend/numerics/operand_range.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include <limits>
#include <mutex>

#include "core/base/vector_targets.h"
#include "core/parallel/parallel_for.h"
#include "npu_backend/numerics/gemm_kernels.h"

#ifndef NPUSCOPE_OPERAND_RANGE_CPP
#define NPUSCOPE_OPERAND_RANGE_CPP
namespace npuscope::backend {

template <class T>
using BitsOf = hwy::MakeUnsigned<T>;

/// What a scan of bits finds. Magnitudes are without the sign's bit, shifted by one.
template <class Bits>
struct Scanned {
    Bits used = 0;          ///< bits that any element has
    Bits least = ~Bits{0};  ///< of numbers that are not 0, less one
    Bits most = 0;

    void add(Bits bits) {
        used |= bits;
        least = std::min<Bits>(least, (bits << 1) - 1);
        most = std::max<Bits>(most, bits << 1);
    }
    void add(const Scanned& other) {
        used |= other.used;
        least = std::min(least, other.least);
        most = std::max(most, other.most);
    }
};

}  // namespace npuscope::backend
#endif

HWY_BEFORE_NAMESPACE();
namespace npuscope::backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
Scanned<BitsOf<T>> scan(const T* values, size_t count) {
    using Bits = BitsOf<T>;
    const hn::ScalableTag<T> d;
    const hn::ScalableTag<Bits> di;
    const size_t lanes = hn::Lanes(di);
    auto used = hn::Zero(di);
    auto least = hn::Set(di, ~Bits{0});
    auto most = hn::Zero(di);
    const auto one = hn::Set(di, Bits{1});
    size_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto bits = hn::BitCast(di, hn::LoadU(d, values + i));
        const auto size = hn::ShiftLeft<1>(bits);
        used = hn::Or(used, bits);
        // 0 becomes the largest.
        least = hn::Min(least, hn::Sub(size, one));
        most = hn::Max(most, size);
    }
    Scanned<Bits> found;
    for (; i < count; ++i)
        found.add(std::bit_cast<Bits>(values[i]));
    HWY_ALIGN Bits lane[3][hn::MaxLanes(di)];
    hn::Store(used, di, lane[0]);
    hn::Store(least, di, lane[1]);
    hn::Store(most, di, lane[2]);
    for (size_t j = 0; j < lanes; ++j)
        found.add(Scanned<Bits>{lane[0][j], lane[1][j], lane[2][j]});
    return found;
}

Scanned<uint32_t> scan_floats(const float* values, size_t count) {
    return scan(values, count);
}

Scanned<uint64_t> scan_doubles(const double* values, size_t count) {
    return scan(values, count);
}

}  // namespace npuscope::backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope::backend {

HWY_EXPORT(scan_floats);
HWY_EXPORT(scan_doubles);

namespace {

constexpr int64_t kScanTile = 65536;

Scanned<uint32_t> scanned(std::span<const float> values) {
    return HWY_DYNAMIC_DISPATCH(scan_floats)(values.data(), values.size());
}

Scanned<uint64_t> scanned(std::span<const double> values) {
    return HWY_DYNAMIC_DISPATCH(scan_doubles)(values.data(), values.size());
}

}  // namespace

template <class T>
OperandRange range_of(std::span<const T> operand, int threads) {
    using Bits = BitsOf<T>;
    constexpr int kStored = std::numeric_limits<T>::digits - 1;
    constexpr int kBias = std::numeric_limits<T>::max_exponent - 1;
    Scanned<Bits> all;
    std::mutex mutex;
    const auto count = static_cast<int64_t>(operand.size());
    parallel_for(ceil_div(count, kScanTile), threads, [&](int64_t tile) {
        const int64_t first = tile * kScanTile;
        const auto found = scanned(operand.subspan(
            static_cast<size_t>(first), static_cast<size_t>(std::min(kScanTile, count - first))));
        const std::lock_guard guard(mutex);
        all.add(found);
    });
    const auto exponent_of = [](Bits size) { return static_cast<int>(size >> (kStored + 1)); };
    const Bits fraction = all.used & ((Bits{1} << kStored) - 1);
    OperandRange range;
    if (count > 0) range.bits = fraction == 0 ? 1 : kStored + 1 - std::countr_zero(fraction);
    if (all.most == 0) return range;
    const int low = exponent_of(all.least + 1);
    const int high = exponent_of(all.most);
    range.lowest = low - kBias - range.bits + 1;
    if (low == 0) {
        // A subnormal counts as using every bit: rare, and never wrong.
        range.bits = kStored + 1;
        range.lowest = 1 - kBias - kStored;
    }
    range.highest = high - kBias;
    range.finite = high < 2 * kBias + 1;
    return range;
}

template <class T>
bool products_are_exact(const OperandRange& a, const OperandRange& b) {
    using Limits = std::numeric_limits<T>;
    // A power of two adds no bit.
    const int bits = a.bits + b.bits - (a.bits == 1 || b.bits == 1 ? 1 : 0);
    return a.finite && b.finite && bits <= Limits::digits &&
           a.lowest + b.lowest >= Limits::min_exponent - Limits::digits &&
           a.highest + b.highest + 2 <= Limits::max_exponent;
}

#define NPUSCOPE_RANGE(T)                                       \
    template OperandRange range_of<T>(std::span<const T>, int); \
    template bool products_are_exact<T>(const OperandRange&, const OperandRange&);
NPUSCOPE_RANGE(float)
NPUSCOPE_RANGE(double)
#undef NPUSCOPE_RANGE

}  // namespace npuscope::backend
#endif
