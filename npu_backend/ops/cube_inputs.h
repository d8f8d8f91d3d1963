// Operands of a Cube op, demoted where the chip's Cube takes no float32.
#pragma once

#include <vector>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

enum class CubeUse : uint8_t { kConvolution, kMatrixProduct };

struct CubeInputs {
    std::vector<Tensor> tensors;
    DType output;  ///< dtype that the kernel writes
};

/// Launches a Cast to float16 for each float32 operand where the chip demotes (its saturation is
/// overflow of the op) and sets the op's compute type. The kernel still writes float32 then.
/// Source: torch_npu allow_fp32_to_fp16 before Atlas A2; HF32 defaults of Atlas A2.
inline CubeInputs cube_inputs(Lowering& op,
                              std::vector<Tensor> tensors,
                              DType declared,
                              CubeUse use) {
    const DType output = op.numerics().held(declared);
    if (!op.on_chip() || declared != DType::kFloat32) return {std::move(tensors), output};
    const Chip& chip = *op.numerics().device.chip;
    if (!chip.cube_takes_float32) {
        op.set_compute_type(ComputeType::kFloat16);
        for (Tensor& tensor : tensors)
            tensor = op.cast(std::move(tensor), DType::kFloat16);
    } else if (use == CubeUse::kConvolution ? chip.conv_hf32 : chip.matmul_hf32) {
        op.set_compute_type(ComputeType::kHFloat32);
    }
    return {std::move(tensors), output};
}

}  // namespace npuscope::backend
