// Element-wise kernels of three tensors: optimiser steps and interpolation.
#include <array>
#include <cmath>

#include "npu_backend/kernels/formula.h"

namespace npuscope::backend {

namespace {

/// Inputs input_data, x1, x2, value (without dimensions).
void run_addcmul(KernelCall& call) {
    run_formula_of<4>(call, [](auto x, auto a, auto b, auto value) { return x + value * a * b; });
}

void run_addcdiv(KernelCall& call) {
    run_formula_of<4>(call, [](auto x, auto a, auto b, auto value) { return x + value * (a / b); });
}

/// From the nearer end, so that weight 1 gives `end` exactly. Source: PyTorch, lerp.
void run_lerp(KernelCall& call) {
    run_formula_of<3>(call, [](auto start, auto end, auto weight) {
        return std::fabs(weight) < 0.5 ? start + weight * (end - start)
                                       : end - (end - start) * (1 - weight);
    });
}

constexpr std::string_view kThroughFloat32 =
    "float16, bfloat16 through float32; float32 in steps; float64";

constexpr auto kRows = std::to_array<Kernel>({
    {"Addcmul",
     "input_data + value x1 x2",
     kThroughFloat32,
     "CANN operator Addcmul; steps ours",
     run_addcmul},
    {"Addcdiv",
     "input_data + value (x1 / x2)",
     kThroughFloat32,
     "CANN operator Addcdiv; steps ours",
     run_addcdiv},
    {"Lerp",
     "start + weight (end - start); end - (end - start)(1 - weight) from weight 1/2 on",
     kThroughFloat32,
     "CANN operator Lerp; steps ours",
     run_lerp},
});

}  // namespace

extern const std::span<const Kernel> k_combine_kernels;
const std::span<const Kernel> k_combine_kernels = kRows;

}  // namespace npuscope::backend
