// Element-wise recipes of several tensors: steps in the wide type, one rounding at the end.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/kernels/rows.h"

namespace npuscope::backend {

/// A tensor read under another shape: its own elements, one for all, or repeated by broadcasting.
template <class T>
class Spread {
  public:
    Spread(const Tensor& tensor, const Shape& shape)
        : tensor_(tensor.numel() == 1 || tensor.shape() == shape
                      ? tensor
                      : gather(tensor, {shape, broadcast_strides(tensor.shape(), shape), 0})),
          data_(tensor_.as<T>().data()),
          step_(tensor_.numel() == 1 ? 0 : 1) {}
    [[nodiscard]] T operator[](int64_t i) const { return data_[i * step_]; }

  private:
    Tensor tensor_;
    const T* data_;
    int64_t step_;
};

/// Errors: Error(kUsage) when the shapes do not broadcast, Error(kUnsupported) when dtypes differ.
template <size_t kCount>
Shape formula_shape(const KernelCall& call) {
    Shape shape = call.input(0).shape();
    for (size_t i = 1; i < kCount; ++i) {
        if (call.input(i).dtype() != call.input(0).dtype()) call.refuse(call.input(i).dtype());
        shape = broadcast_shapes(shape, call.input(i).shape());
    }
    return shape;
}

/// Calls put(i, f(values at i), all finite) over tiles of the shape.
template <class T, class F, class Put, size_t... kIndex>
void for_formula(
    KernelCall& call, const Shape& shape, F&& f, Put&& put, std::index_sequence<kIndex...>) {
    using W = Wide<T>;
    const std::array<Spread<T>, sizeof...(kIndex)> x = {Spread<T>(call.input(kIndex), shape)...};
    for_tiles(numel_of(shape), call, [&](int64_t begin, int64_t end) {
        return put(begin, end, [&](int64_t i, bool& finite) {
            finite = (is_finite(x[kIndex][i]) && ...);
            return f(widen<W>(x[kIndex][i])...);
        });
    });
}

/// y = round(f(x0, x1, …)) of the first kCount inputs, broadcast; f takes Wide<T> values.
template <class T, size_t kCount, class F>
Tensor map_formula(KernelCall& call, F&& f) {
    const Shape shape = formula_shape<kCount>(call);
    Tensor y(kDTypeOf<T>, shape);
    const auto out = y.template mutable_as<T>();
    const auto put = [&](int64_t begin, int64_t end, auto&& at) {
        Rounder<T> round(call.numerics.overflow_mode());
        bool all = true;
        for (int64_t i = begin; i < end; ++i) {
            bool finite = true;
            const auto value = static_cast<double>(at(i, finite));
            all &= finite;
            out[static_cast<size_t>(i)] = round(value, always(finite));
        }
        FloatStatus status = round.status();
        if (!all) status.raise(FloatStatus::kVectorInputNonFinite);
        return status;
    };
    for_formula<T>(call, shape, f, put, std::make_index_sequence<kCount>());
    return y;
}

/// The same, unrounded.
template <class T, size_t kCount, class F>
std::vector<Wide<T>> wide_formula(KernelCall& call, F&& f) {
    const Shape shape = formula_shape<kCount>(call);
    std::vector<Wide<T>> y(static_cast<size_t>(numel_of(shape)));
    const auto put = [&](int64_t begin, int64_t end, auto&& at) {
        FloatStatus status;
        for (int64_t i = begin; i < end; ++i) {
            bool finite = true;
            y[static_cast<size_t>(i)] = static_cast<Wide<T>>(at(i, finite));
            if (!finite) status.raise(FloatStatus::kVectorInputNonFinite);
        }
        return status;
    };
    for_formula<T>(call, shape, f, put, std::make_index_sequence<kCount>());
    return y;
}

/// A kernel that is one formula of its inputs; f is generic over the wide type.
template <size_t kCount, class F>
void run_formula_of(KernelCall& call, F&& f) {
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        call.outputs = {map_formula<T, kCount>(call, f)};
    });
}

/// f in double, its result in the argument's type: the functions whose last bit is not public.
template <class W>
W exp_step(W x) {
    return static_cast<W>(std::exp(static_cast<double>(x)));
}
template <class W>
W log_step(W x) {
    return static_cast<W>(std::log(static_cast<double>(x)));
}
template <class W>
W log1p_step(W x) {
    return static_cast<W>(std::log1p(static_cast<double>(x)));
}
template <class W>
W tanh_step(W x) {
    return static_cast<W>(std::tanh(static_cast<double>(x)));
}
template <class W>
W sigmoid_step(W x) {
    return W{1} / (W{1} + exp_step(-x));
}

}  // namespace npuscope::backend
