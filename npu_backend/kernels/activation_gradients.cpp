// Gradients of activations: of the gradient and what the forward op read or gave.
#include <array>
#include <cmath>

#include "npu_backend/kernels/pointwise.h"
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

constexpr auto kRelu = [](const KernelCall&, auto dy, auto x) {
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

constexpr std::string_view kThroughFloat32 =
    "float16, bfloat16 through float32; float32 in steps; float64";

constexpr auto kRows = std::to_array<Kernel>({
    {"ReluGrad",
     "grads where x > 0 or nan, else 0",
     "floats, exact",
     "CANN operator ReluGrad",
     run_gradient<kRelu>},
    {"ThresholdGradV2D",
     "grads where x > threshold or nan, else 0",
     "floats, exact",
     "CANN operator ThresholdGradV2D",
     run_gradient<kThreshold>},
    {"TanhGrad",
     "grads (1 - y^2)",
     kThroughFloat32,
     "CANN operator TanhGrad; steps ours",
     run_gradient<kTanh>},
    {"SigmoidGrad",
     "grads y (1 - y)",
     kThroughFloat32,
     "CANN operator SigmoidGrad; steps ours",
     run_gradient<kSigmoid>},
    {"SwishGrad",
     "grads s (1 + x (1 - s)), s = 1 / (1 + e^-x)",
     kThroughFloat32,
     "ours",
     run_gradient<kSilu>},
});

}  // namespace

extern const std::span<const Kernel> k_activation_gradients_kernels;
const std::span<const Kernel> k_activation_gradients_kernels = kRows;

}  // namespace npuscope::backend
