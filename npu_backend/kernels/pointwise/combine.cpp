// Element-wise kernels of three tensors: optimiser steps and interpolation.
#include <array>
#include <cmath>

#include "npu_backend/kernels/pointwise/formula.h"

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

}  // namespace

std::span<const Kernel> combine_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Addcmul",
         .formula = "input_data + value x1 x2",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_addcmul},
        {.type = "Addcdiv",
         .formula = "input_data + value (x1 / x2)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_addcdiv},
        {.type = "Lerp",
         .formula =
             "start + weight (end - start); end - (end - start)(1 - weight) from weight 1/2 on",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_lerp},
    });
    return kRows;
}

}  // namespace npuscope::backend
