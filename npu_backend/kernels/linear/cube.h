// What the Cube does: products of its operands, added by the model that the options name.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/memory_block.h"
#include "npu_backend/kernels/kernel.h"
#include "npu_backend/numerics/cube_chain.h"
#include "npu_backend/numerics/gemm.h"
#include "npu_backend/numerics/operand_range.h"

namespace npuscope::backend {

/// The elements as the Cube reads them, widened to the accumulator's type.
template <class W>
struct CubeOperand {
    Tensor given;       ///< read where it lies when it has that type already
    Buffer<W> widened;  ///< otherwise
    OperandRange range;

    [[nodiscard]] const W* data() const {
        return widened.size() != 0 ? widened.data() : reinterpret_cast<const W*>(given.data());
    }
    [[nodiscard]] size_t size() const { return static_cast<size_t>(given.numel()); }
};

/// HF32 rounds float32; integers are for W = double. Raises kCubeInputNonFinite.
template <class W>
[[nodiscard]] CubeOperand<W> cube_operand(KernelCall& call, const Tensor& tensor, bool hf32);

/// How this call's Cube adds: seq_rne under a reference, for float64 and for integers.
[[nodiscard]] CubeModel cube_model(const Numerics& numerics, DType input);

/// One product c[m, n] += left[m, k] right[k, n] of a kernel.
template <class W>
struct CubeProduct {
    Chains<W> chains;
    Lines<W> left;
    PackPanel<W> right;
    OperandRange left_range, right_range;
    CubeModel model;
};

/// `packed`: the left side, when several products share it; nullptr otherwise.
template <class W>
void multiply_add(const CubeProduct<W>& product, const PackedLeft<W>* packed, int threads);

/// kCubeOverflow when an accumulator is not finite though its first value, its row of the left side
/// and its column of the right side are. Called after multiply_add; `first` may be nullptr for 0.
template <class W>
void check_accumulators(const CubeProduct<W>& product, const W* first, FloatStatus& status);

/// Accumulators of a whole result, 0 at first: a tensor of W.
template <class W>
[[nodiscard]] Tensor accumulators(const Shape& shape);

/// The L0C to UB copy: accumulators rounded to `dtype`, saturated where the chip does; half
/// overflow raises kCopyOverflow, a nonzero that becomes zero kCopyUnderflow.
template <class W>
[[nodiscard]] Tensor copy_out(Tensor sums, DType dtype, KernelCall& call);

/// Refuses what this chip's Cube cannot take.
void require_cube_dtype(const KernelCall& call, DType dtype);

/// Whether the first two inputs are int8 or uint8. With the attribute operand_bits = 4 int8 tensors
/// hold int4. Such products run in double, where they and their sums are exact.
/// Errors: Error(kUnsupported) when this chip's Cube does not take them; Error(kUsage) for a value
/// beyond int4.
[[nodiscard]] bool takes_integers(const KernelCall& call);

/// Exact sums as int32; beyond it they clamp in saturation mode and wrap otherwise, and raise
/// kCubeOverflow.
[[nodiscard]] Tensor copy_out_integers(const Tensor& sums, KernelCall& call);

}  // namespace npuscope::backend
