// All elements of a tensor in the type that a recipe computes in.
#pragma once

#include <vector>

#include "core/base/error.h"
#include "npu_backend/numerics/rounding.h"

namespace npuscope::backend {

/// Errors: Error(kUnsupported) for integers.
template <class W>
std::vector<W> widened(const Tensor& tensor) {
    std::vector<W> wide(static_cast<size_t>(tensor.numel()));
    visit_dtype(tensor.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            const auto in = tensor.as<T>();
            for (size_t i = 0; i < in.size(); ++i)
                wide[i] = widen<W>(in[i]);
        } else {
            throw Error(ErrorKind::kUnsupported,
                        "a float tensor is needed, not " + std::string(name_of(tensor.dtype())));
        }
    });
    return wide;
}

/// The recipe's values rounded to `dtype`; `inputs_finite` decides whether a result beyond the
/// largest finite value is overflow. Merges into `status`.
template <class W>
Tensor narrowed(std::span<const W> values,
                DType dtype,
                Shape shape,
                OverflowMode mode,
                bool inputs_finite,
                FloatStatus& status) {
    Tensor result(dtype, std::move(shape));
    visit_dtype(dtype, [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            const auto out = result.mutable_as<T>();
            Rounder<T> round(mode);
            for (size_t i = 0; i < out.size(); ++i)
                out[i] = round(static_cast<double>(values[i]),
                               [inputs_finite] { return inputs_finite; });
            status.merge(round.status());
        }
    });
    return result;
}

/// True when all elements of all tensors are finite; raises kVectorInputNonFinite otherwise.
inline bool check_inputs(std::span<const Tensor> tensors, FloatStatus& status) {
    bool finite = true;
    for (const Tensor& tensor : tensors)
        finite = finite && all_finite(tensor);
    if (!finite) status.raise(FloatStatus::kVectorInputNonFinite);
    return finite;
}

}  // namespace npuscope::backend
