// The arithmetic that a kernel follows, as one value that travels with each launch.
#pragma once

#include "core/event/observer.h"
#include "npu_backend/chips/device.h"

namespace npuscope::backend {

/// Under a reference all float tensors inside an op have the reference's type, so that the same
/// kernels serve chips and references: a kernel rounds to the dtype of its tensors.
struct Numerics {
    Device device;
    int threads = 0;

    [[nodiscard]] bool reference() const { return device.policy != Policy::kChip; }
    /// Whether matrix products hold their tensors in FRACTAL_NZ.
    [[nodiscard]] bool matrices_in_fractal_nz() const {
        return !reference() && !device.chip->cube_takes_float32();
    }
    [[nodiscard]] OverflowMode overflow_mode() const {
        if (reference()) return OverflowMode::kInfNan;
        const ChipOptions& options = device.options;
        return options.fp32_sat_910a && options.overflow_mode == OverflowMode::kSaturate
                   ? OverflowMode::kSaturateAll
                   : options.overflow_mode;
    }
    /// The type that float tensors of `dtype` have inside an op.
    [[nodiscard]] DType held(DType dtype) const {
        if (!reference() || !is_float(dtype) || dtype == DType::kFloat64) return dtype;
        return device.policy == Policy::kReference64 ? DType::kFloat64 : DType::kFloat32;
    }
};

/// Whether a CANN operator runs in its high-precision form. `precise_by_default`: the operator
/// keeps that form under high_performance (Gelu, Tanh, Sigmoid). Types beside op_impl_types have no
/// mode set. Source: impl_mode lists of CANN; ACL_OP_SELECT_IMPL_MODE, ACL_OPTYPELIST_FOR_IMPLMODE.
[[nodiscard]] bool high_precision(const Numerics& numerics,
                                  std::string_view type,
                                  bool precise_by_default);

/// The precision that a result of `dtype` computed in, when nothing inside the op is narrower.
[[nodiscard]] inline ComputeType compute_type_of(const Numerics& numerics, DType dtype) {
    if (!is_float(dtype)) return ComputeType::kNone;
    switch (numerics.held(dtype)) {
        case DType::kFloat64:
            return ComputeType::kFloat64;
        case DType::kFloat16:
            return ComputeType::kFloat16;
        case DType::kBFloat16:
            return ComputeType::kBFloat16;
        default:
            return ComputeType::kFloat32;
    }
}

}  // namespace npuscope::backend
