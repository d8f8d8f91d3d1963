// What the Cube does: exact products, accumulation in float32 (float64 for float64 tensors).
#pragma once

#include <cstdint>
#include <vector>

#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend {

/// c[m, n] += a[m, k] * b[k, n], C order. `transpose_a`: a is stored [k, m], likewise b [n, k].
/// `bias`: the m rows' first values in c, or nullptr where they are 0. Everything borrowed.
template <class W>
struct Product {
    const W* a;
    bool transpose_a;
    const W* b;
    bool transpose_b;
    W* c;
    int64_t m, n, k;
    const W* bias = nullptr;
};

/// One call of the BLAS library on one thread. Order of the sum within it is the library's.
template <class W>
void multiply_add(const Product<W>& product);

/// kCubeOverflow when a sum of finite operands is not finite. Called after multiply_add.
template <class W>
void check_accumulators(const Product<W>& product, FloatStatus& status);

/// The elements as the Cube reads them, widened to the accumulator's type; HF32 rounds float32.
/// Raises kCubeInputNonFinite.
template <class W>
[[nodiscard]] std::vector<W> cube_operand(const Tensor& tensor, bool hf32, FloatStatus& status);

/// The L0C to UB copy: accumulators rounded to `dtype`; half overflow raises kCopyOverflow.
template <class W>
[[nodiscard]] Tensor copy_out(const std::vector<W>& accumulators,
                              DType dtype,
                              Shape shape,
                              KernelCall& call);

/// Refuses what this chip's Cube cannot take.
void require_cube_dtype(const KernelCall& call, DType dtype);

}  // namespace npuscope::backend
