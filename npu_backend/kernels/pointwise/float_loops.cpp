#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "npu_backend/kernels/pointwise/float_loops.cpp"
#include "npu_backend/kernels/pointwise/float_loops.h"

#include <cmath>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/base/vector_targets.h"

HWY_BEFORE_NAMESPACE();
namespace npuscope::backend::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

struct Add {
    template <class V>
    V operator()(V a, V b) const {
        return hn::Add(a, b);
    }
    float operator()(float a, float b) const { return a + b; }
};
struct Sub {
    template <class V>
    V operator()(V a, V b) const {
        return hn::Sub(a, b);
    }
    float operator()(float a, float b) const { return a - b; }
};
struct Mul {
    template <class V>
    V operator()(V a, V b) const {
        return hn::Mul(a, b);
    }
    float operator()(float a, float b) const { return a * b; }
};

/// What one pair met. A sum that is 0 is exact: underflow is for products.
template <bool kProduct>
void look(float a, float b, float y, FloatStatus& status) {
    const bool finite = std::isfinite(a) && std::isfinite(b);
    if (!finite) status.raise(FloatStatus::kVectorInputNonFinite);
    if (finite && !std::isfinite(y)) status.raise(FloatStatus::kOverflow);
    if (kProduct && y == 0 && a != 0 && b != 0 &&
        static_cast<double>(a) * static_cast<double>(b) != 0)
        status.raise(FloatStatus::kUnderflow);
}

/// Element by element, from copies of the inputs, for the output may have replaced one.
template <bool kProduct, class V>
HWY_NOINLINE void look_at_lanes(V u, V v, const float* y, FloatStatus& status) {
    const hn::ScalableTag<float> d;
    alignas(HWY_MAX_BYTES) float us[HWY_MAX_BYTES / sizeof(float)];
    alignas(HWY_MAX_BYTES) float vs[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(u, d, us);
    hn::Store(v, d, vs);
    for (size_t lane = 0; lane < hn::Lanes(d); ++lane)
        look<kProduct>(us[lane], vs[lane], y[lane], status);
}

template <bool kProduct, class F>
FloatStatus combine(FloatOperand a, FloatOperand b, float* out, int64_t count, F f) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto zero = hn::Zero(d);
    const auto load = [d](FloatOperand from, int64_t i) {
        return from.step == 0 ? hn::Set(d, *from.data) : hn::LoadU(d, from.data + i);
    };
    FloatStatus status;
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto u = load(a, i);
        const auto v = load(b, i);
        const auto y = f(u, v);
        hn::StoreU(y, d, out + i);
        auto odd = hn::Not(hn::And(hn::IsFinite(y), hn::And(hn::IsFinite(u), hn::IsFinite(v))));
        if (kProduct) odd = hn::Or(odd, hn::Eq(y, zero));
        if (!hn::AllFalse(d, odd)) [[unlikely]]
            look_at_lanes<kProduct>(u, v, out + i, status);
    }
    for (; i < count; ++i) {
        const float u = a.data[i * a.step];
        const float v = b.data[i * b.step];
        out[i] = f(u, v);
        look<kProduct>(u, v, out[i], status);
    }
    return status;
}

FloatStatus combine_all(
    FloatOperation operation, FloatOperand a, FloatOperand b, float* out, int64_t count) {
    switch (operation) {
        case FloatOperation::kAdd:
            return combine<false>(a, b, out, count, Add());
        case FloatOperation::kSub:
            return combine<false>(a, b, out, count, Sub());
        case FloatOperation::kMul:
            return combine<true>(a, b, out, count, Mul());
    }
    return {};
}

FloatStatus relu(const float* x, float* out, int64_t count) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto zero = hn::Zero(d);
    bool finite = true;
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto v = hn::LoadU(d, x + i);
        finite = finite && hn::AllTrue(d, hn::IsFinite(v));
        hn::StoreU(hn::IfThenElse(hn::Or(hn::Gt(v, zero), hn::IsNaN(v)), v, zero), d, out + i);
    }
    for (; i < count; ++i) {
        const float v = x[i];
        finite = finite && std::isfinite(v);
        out[i] = v > 0 || v != v ? v : 0.0F;
    }
    FloatStatus status;
    if (!finite) status.raise(FloatStatus::kVectorInputNonFinite);
    return status;
}

void scale(const float* x, float factor, float addend, float* out, int64_t count) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<int64_t>(hn::Lanes(d));
    const auto by = hn::Set(d, factor);
    const auto plus = hn::Set(d, addend);
    int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        hn::StoreU(hn::Add(hn::Mul(hn::LoadU(d, x + i), by), plus), d, out + i);
    for (; i < count; ++i)
        out[i] = x[i] * factor + addend;
}

}  // namespace npuscope::backend::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace npuscope::backend {

HWY_EXPORT(combine_all);
HWY_EXPORT(relu);
HWY_EXPORT(scale);

FloatStatus combine_floats(
    FloatOperation operation, FloatOperand a, FloatOperand b, float* out, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(combine_all)(operation, a, b, out, count);
}

FloatStatus relu_floats(const float* x, float* out, int64_t count) {
    return HWY_DYNAMIC_DISPATCH(relu)(x, out, count);
}

void scale_floats(const float* x, float factor, float addend, float* out, int64_t count) {
    HWY_DYNAMIC_DISPATCH(scale)(x, factor, addend, out, count);
}

}  // namespace npuscope::backend
#endif
