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
    const ChipOptions& options = op.numerics().device.options;
    if (!chip.cube_takes_float32()) {
        if (options.fp32_on_910a == Float32OnHalfCube::kKeep) return {std::move(tensors), output};
        if (options.fp32_on_910a == Float32OnHalfCube::kError ||
            options.precision_mode == PrecisionMode::kMustKeepOriginDtype)
            op.reject("the Cube of chip " + std::string(chip.name) +
                      " takes no float32; allow float16 with precision_mode=allow_fp32_to_fp16 and "
                      "fp32_on_910A=demote");
        op.set_compute_type(ComputeType::kFloat16);
        for (Tensor& tensor : tensors)
            tensor = op.cast(std::move(tensor), DType::kFloat16);
        if (options.fp32_on_910a_out == DemotedOutput::kFloat16)
            return {std::move(tensors), DType::kFloat16};
    } else if (use == CubeUse::kConvolution ? options.conv_hf32 : options.matmul_hf32) {
        op.set_compute_type(ComputeType::kHFloat32);
    }
    return {std::move(tensors), output};
}

}  // namespace npuscope::backend
