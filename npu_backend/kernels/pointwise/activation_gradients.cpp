// Gradients of activations: of the gradient and what the forward op read or gave.
#include <array>
#include <cmath>

#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/kernels/rows.h"
#include "npu_backend/numerics/vector_unit.h"

namespace npuscope::backend {

namespace {

/// Inputs grads and x or y, of one dtype and shape; formula(call, gradient, value) in the wide
/// type.
template <auto kFormula>
void run_gradient(KernelCall& call) {
    const Tensor& gradient = call.input(0);
    if (call.input(1).dtype() != gradient.dtype()) call.refuse(call.input(1).dtype());
    visit_float(call, gradient.dtype(), [&]<class T>() {
        using W = Wide<T>;
        call.outputs = {
            map_binary<T>(call, gradient, call.input(1), [&call](double dy, double value) {
                return static_cast<double>(
                    kFormula(call, static_cast<W>(dy), static_cast<W>(value)));
            })};
    });
}

constexpr auto kReluGradient = [](const KernelCall&, auto dy, auto x) {
    return x <= 0 ? decltype(x){0} : dy;
};
constexpr auto kThreshold = [](const KernelCall& call, auto dy, auto x) {
    return static_cast<double>(x) <= call.number("threshold") ? decltype(x){0} : dy;
};
constexpr auto kTanh = [](const KernelCall&, auto dy, auto y) { return dy * (1 - y * y); };
constexpr auto kSigmoid = [](const KernelCall&, auto dy, auto y) { return dy * (y * (1 - y)); };
constexpr auto kSilu = [](const KernelCall& call, auto dy, auto x) {
    using W = decltype(x);
    const VectorUnit<W> unit(call.numerics);
    const W s = unit.reciprocal(1 + unit.exp(-x));
    return dy * (s * (1 + x * (1 - s)));
};

}  // namespace

std::span<const Kernel> activation_gradients_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "ReluGrad",
         .formula = "grads where x > 0 or nan, else 0",
         .dtypes = "floats, exact",
         .run = run_gradient<kReluGradient>},
        {.type = "ThresholdGradV2D",
         .formula = "grads where x > threshold or nan, else 0",
         .dtypes = "floats, exact",
         .run = run_gradient<kThreshold>},
        {.type = "TanhGrad",
         .formula = "grads (1 - y^2)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_gradient<kTanh>},
        {.type = "SigmoidGrad",
         .formula = "grads y (1 - y)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_gradient<kSigmoid>},
        {.type = "SwishGrad",
         .formula = "grads s (1 + x (1 - s)), s = 1 / (1 + e^-x)",
         .dtypes = kFloat32Steps,
         .source = "ours",
         .run = run_gradient<kSilu>},
    });
    return kRows;
}

}  // namespace npuscope::backend
