#include "compare/dataflow/content_sums.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>

#include "core/base/vector_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compare/dataflow/content_sums.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace npuscope::compare::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bits = hn::ScalableTag<uint64_t>;
using Doubles = hn::RebindToFloat<Bits>;
using Floats = hn::Rebind<float, Doubles>;
using Words = hn::Rebind<uint32_t, Bits>;
using VB = hn::Vec<Bits>;

/// Of the lower halves of lanes.
HWY_INLINE VB product_of_halves(VB a, VB b) {
#if HWY_TARGET == HWY_SCALAR
    return VB(ContentSums::low(a.raw) * ContentSums::low(b.raw));
#else
    const hn::Repartition<uint32_t, Bits> halves;
    return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
}

HWY_INLINE VB mixed(VB bits) {
    const VB spread = product_of_halves(hn::Xor(bits, hn::Set(Bits(), ContentSums::kFold)),
                                        hn::Set(Bits(), ContentSums::kFirst));
    const VB high = hn::ShiftRight<32>(spread);
    const VB product = product_of_halves(hn::Xor(spread, high),
                                         hn::Xor(high, hn::Set(Bits(), ContentSums::kSecond)));
    return hn::Xor(product, hn::ShiftRight<29>(product));
}

/// Of all lanes, joined by f. Not by the processor's own sums, which are of signed numbers.
template <class F>
HWY_INLINE uint64_t joined(VB values, const F& f) {
    HWY_ALIGN uint64_t lanes[hn::MaxLanes(Bits())];
    hn::Store(values, Bits(), lanes);
    uint64_t all = 0;
    for (size_t lane = 0; lane < hn::Lanes(Bits()); ++lane)
        all = f(all, lanes[lane]);
    return all;
}

/// Adds whole vectors; returns how many elements these are.
int64_t add_vectors(
    const float* elements, int64_t count, int64_t index, uint64_t reference, ContentSums& sums) {
    const auto width = static_cast<int64_t>(hn::Lanes(Bits()));
    const VB first = hn::Set(Bits(), reference);
    const VB nan = hn::Set(Bits(), ContentSums::kNan);
    const VB narrow_nan = hn::Set(Bits(), std::bit_cast<uint32_t>(ContentSums::kNanOfFloat));
    const VB step = hn::Set(Bits(), static_cast<uint64_t>(width) * ContentSums::kOrder);
    VB weight = hn::Add(hn::Mul(hn::Iota(Bits(), 0), hn::Set(Bits(), ContentSums::kOrder)),
                        hn::Set(Bits(), ContentSums::weight(index)));
    VB bag = hn::Zero(Bits());
    VB sequence = hn::Zero(Bits());
    VB differs = hn::Zero(Bits());
    int64_t i = 0;
    for (; i + width <= count; i += width) {
        const auto floats = hn::LoadU(Floats(), elements + i);
        const auto values = hn::PromoteTo(Doubles(), floats);
        VB bits = hn::BitCast(Bits(), values);
        VB narrow = hn::PromoteTo(Bits(), hn::BitCast(Words(), floats));
        const auto is_nan = hn::IsNaN(values);
        if (HWY_UNLIKELY(!hn::AllFalse(Doubles(), is_nan))) {
            sums.nan += static_cast<int64_t>(hn::CountTrue(Doubles(), is_nan));
            bits = hn::IfThenElse(hn::RebindMask(Bits(), is_nan), nan, bits);
            narrow = hn::IfThenElse(hn::RebindMask(Bits(), is_nan), narrow_nan, narrow);
        }
        const VB hash = mixed(narrow);
        bag = hn::Add(bag, hash);
        const VB both = hn::Xor(hash, weight);
        sequence = hn::Add(sequence, product_of_halves(both, hn::ShiftRight<32>(both)));
        weight = hn::Add(weight, step);
        differs = hn::Or(differs, hn::Xor(bits, first));
    }
    sums.bag += joined(bag, std::plus<uint64_t>());
    sums.sequence += joined(sequence, std::plus<uint64_t>());
    sums.differs |= joined(differs, std::bit_or<uint64_t>());
    return i;
}

}  // namespace npuscope::compare::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope::compare {

HWY_EXPORT(add_vectors);

void add_floats(
    const void* elements, int64_t count, int64_t index, uint64_t reference, ContentSums& sums) {
    const auto* const floats = static_cast<const float*>(elements);
    const int64_t added = HWY_DYNAMIC_DISPATCH(add_vectors)(floats, count, index, reference, sums);
    for (int64_t i = added; i < count; ++i) {
        float value = 0;
        std::memcpy(
            &value, static_cast<const std::byte*>(elements) + i * sizeof(float), sizeof(float));
        if (std::isnan(value)) ++sums.nan;
        const uint64_t bits = std::isnan(value)
                                  ? ContentSums::kNan
                                  : std::bit_cast<uint64_t>(static_cast<double>(value));
        sums.add(bits, index + i, reference);
    }
}

}  // namespace npuscope::compare
#endif
