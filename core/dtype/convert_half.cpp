#include "core/dtype/convert_half.h"

#include <cstdint>
#include <cstring>

#include "core/base/vector_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/dtype/convert_half.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace npuscope::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Halves = hn::Rebind<uint16_t, Floats>;
using VI = hn::Vec<Ints>;

HWY_INLINE VI all(int32_t value) {
    return hn::Set(Ints(), value);
}

/// Steps of whole vectors by `vectors`, the rest by `scalars`.
template <class From, class To, class Vectors, class Scalar>
HWY_INLINE void each(
    const From* from, To* to, size_t count, const Vectors& vectors, const Scalar& scalar) {
    const size_t width = hn::Lanes(Floats());
    size_t i = 0;
    for (; i + width <= count; i += width)
        vectors(from + i, to + i);
    for (; i < count; ++i) {
        // Elements of a mapped file need not be aligned.
        From value;
        std::memcpy(&value, from + i, sizeof value);
        to[i] = scalar(value);
    }
}

HWY_INLINE void store(VI bits, void* to) {
    hn::StoreU(hn::DemoteTo(Halves(), bits), Halves(), static_cast<uint16_t*>(to));
}
HWY_INLINE VI load(const void* from) {
    return hn::PromoteTo(Ints(), hn::LoadU(Halves(), static_cast<const uint16_t*>(from)));
}

/// The same steps as to_float16().
void to_half(const float* from, Float16* to, size_t count) {
    const auto vectors = [](const float* values, Float16* result) {
        const auto bits = hn::BitCast(Ints(), hn::LoadU(Floats(), values));
        const auto magnitude = hn::And(bits, all(0x7fffffff));
        const auto sign = hn::And(hn::ShiftRight<16>(bits), all(0x8000));
        const auto even = hn::And(hn::ShiftRight<13>(magnitude), all(1));
        const auto rounded = hn::Add(magnitude, hn::Add(even, all(0xfff - 0x38000000)));
        const auto normal = hn::ShiftRight<13>(rounded);
        const auto shifted = hn::Add(hn::BitCast(Floats(), magnitude), hn::Set(Floats(), 0.5f));
        const auto subnormal = hn::Sub(hn::BitCast(Ints(), shifted), all(0x3f000000));
        auto half = hn::IfThenElse(hn::Lt(magnitude, all(0x38800000)), subnormal, normal);
        half = hn::IfThenElse(hn::Gt(magnitude, all(0x477fefff)), all(0x7c00), half);
        half = hn::IfThenElse(hn::Gt(magnitude, all(0x7f800000)), all(0x7e00), half);
        store(hn::Or(half, sign), result);
    };
    each(from, to, count, vectors, [](float value) { return to_float16(value); });
}

/// The same steps as to_bfloat16().
void to_brain(const float* from, BFloat16* to, size_t count) {
    const auto vectors = [](const float* values, BFloat16* result) {
        const auto bits = hn::BitCast(hn::RebindToUnsigned<Floats>(), hn::LoadU(Floats(), values));
        const auto odd =
            hn::And(hn::ShiftRight<16>(bits), hn::Set(hn::RebindToUnsigned<Floats>(), 1));
        const auto rounded = hn::ShiftRight<16>(
            hn::Add(bits, hn::Add(odd, hn::Set(hn::RebindToUnsigned<Floats>(), 0x7fff))));
        const auto quiet =
            hn::Or(hn::ShiftRight<16>(bits), hn::Set(hn::RebindToUnsigned<Floats>(), 0x40));
        const auto magnitude = hn::And(hn::BitCast(Ints(), bits), all(0x7fffffff));
        store(hn::IfThenElse(hn::Gt(magnitude, all(0x7f800000)),
                             hn::BitCast(Ints(), quiet),
                             hn::BitCast(Ints(), rounded)),
              result);
    };
    each(from, to, count, vectors, [](float value) { return to_bfloat16(value); });
}

/// The same steps as to_float().
void from_half(const Float16* from, float* to, size_t count) {
    const auto vectors = [](const Float16* values, float* result) {
        const auto bits = load(values);
        const auto sign = hn::ShiftLeft<16>(hn::And(bits, all(0x8000)));
        const auto magnitude = hn::And(bits, all(0x7fff));
        const auto wide = hn::ShiftLeft<13>(magnitude);
        const auto normal = hn::Add(wide, all(112 << 23));
        const auto subnormal = hn::BitCast(
            Ints(), hn::Mul(hn::ConvertTo(Floats(), magnitude), hn::Set(Floats(), 0x1p-24f)));
        auto value = hn::IfThenElse(hn::Lt(magnitude, all(0x400)), subnormal, normal);
        value =
            hn::IfThenElse(hn::Gt(magnitude, all(0x7bff)), hn::Or(wide, all(0x7f800000)), value);
        hn::StoreU(hn::BitCast(Floats(), hn::Or(value, sign)), Floats(), result);
    };
    each(from, to, count, vectors, [](Float16 value) { return to_float(value); });
}

void from_brain(const BFloat16* from, float* to, size_t count) {
    const auto vectors = [](const BFloat16* values, float* result) {
        hn::StoreU(hn::BitCast(Floats(), hn::ShiftLeft<16>(load(values))), Floats(), result);
    };
    each(from, to, count, vectors, [](BFloat16 value) { return to_float(value); });
}

}  // namespace npuscope::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope {

HWY_EXPORT(to_half);
HWY_EXPORT(to_brain);
HWY_EXPORT(from_half);
HWY_EXPORT(from_brain);

void convert_to_float16(const float* from, Float16* to, size_t count) {
    HWY_DYNAMIC_DISPATCH(to_half)(from, to, count);
}
void convert_to_bfloat16(const float* from, BFloat16* to, size_t count) {
    HWY_DYNAMIC_DISPATCH(to_brain)(from, to, count);
}
void convert_to_float(const Float16* from, float* to, size_t count) {
    HWY_DYNAMIC_DISPATCH(from_half)(from, to, count);
}
void convert_to_float(const BFloat16* from, float* to, size_t count) {
    HWY_DYNAMIC_DISPATCH(from_brain)(from, to, count);
}

}  // namespace npuscope
#endif
