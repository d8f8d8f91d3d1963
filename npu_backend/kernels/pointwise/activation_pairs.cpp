// Activation functions that have parameters or a gradient of their own, each beside its gradient.
#include <array>
#include <cmath>

#include "core/base/error.h"
#include "npu_backend/kernels/pointwise/formula.h"

namespace npuscope::backend {

namespace {

/// d/dx of x / (1 + e^-2u), u = sqrt(2/pi)(x + 0.044715 x^3).
template <class W>
W gelu_tanh_slope(W x) {
    const W scale = static_cast<W>(M_SQRT2 * M_2_SQRTPI * 0.5);
    const W cubic = W(0.044715);
    const W t = tanh_step(scale * (x + cubic * x * x * x));
    return W(0.5) * (1 + t) + W(0.5) * x * (1 - t * t) * scale * (1 + 3 * cubic * x * x);
}

template <class W>
W gelu_slope(W x) {
    const W area = W(0.5) * (1 + static_cast<W>(std::erf(static_cast<double>(x) * M_SQRT1_2)));
    return area + x * exp_step(W(-0.5) * x * x) * static_cast<W>(M_2_SQRTPI * M_SQRT1_2 * 0.5);
}

/// A chip has the tanh form only.
void run_gelu_gradient(KernelCall& call) {
    const bool tanh_form = call.text("approximate") == "tanh" ||
                           (!call.numerics.reference() && call.input(0).dtype() != DType::kFloat64);
    run_formula_of<2>(call, [tanh_form](auto dy, auto x) {
        return dy * (tanh_form ? gelu_tanh_slope(x) : gelu_slope(x));
    });
}

void run_leaky_relu_gradient(KernelCall& call) {
    run_formula_of<2>(call, [slope = call.number("negative_slope")](auto dy, auto x) {
        return x > 0 ? dy : dy * static_cast<decltype(x)>(slope);
    });
}

/// `is_result`: the second input is the function's result.
void run_elu_gradient(KernelCall& call) {
    const double alpha = call.number("alpha");
    const double scale = call.number("scale");
    const double input_scale = call.number("input_scale");
    run_formula_of<2>(call, [=, is_result = call.flag("is_result")](auto dy, auto x) {
        using W = decltype(x);
        const W below = static_cast<W>(alpha * scale);
        if (x > 0) return dy * static_cast<W>(scale);
        if (is_result) return dy * static_cast<W>(input_scale) * (x + below);
        return dy * static_cast<W>(input_scale) * below * exp_step(x * static_cast<W>(input_scale));
    });
}

void run_hardtanh_gradient(KernelCall& call) {
    run_formula_of<2>(
        call, [low = call.number("min_val"), high = call.number("max_val")](auto dy, auto x) {
            return x <= low || x >= high ? decltype(dy){0} : dy;
        });
}

void run_hard_swish_gradient(KernelCall& call) {
    run_formula_of<2>(call, [](auto dy, auto x) {
        if (x < -3) return decltype(dy){0};
        return x <= 3 ? dy * (x / 3 + decltype(x)(0.5)) : dy;
    });
}

void run_hard_sigmoid_gradient(KernelCall& call) {
    run_formula_of<2>(call, [](auto dy, auto x) {
        return x > -3 && x < 3 ? dy / 6 : (x == x ? decltype(dy){0} : x);
    });
}

void run_softplus_gradient(KernelCall& call) {
    run_formula_of<2>(
        call, [given = call.number("beta"), threshold = call.number("threshold")](auto dy, auto x) {
            using W = decltype(x);
            const W scaled = x * static_cast<W>(given);
            if (static_cast<double>(scaled) > threshold) return dy;
            const W power = exp_step(scaled);
            return dy * power / (power + 1);
        });
}

void run_log_sigmoid(KernelCall& call) {
    run_formula_of<1>(call, [](auto x) {
        using W = decltype(x);
        return std::min(x, W{0}) - log1p_step(exp_step(-std::fabs(x)));
    });
}

void run_log_sigmoid_gradient(KernelCall& call) {
    run_formula_of<2>(call, [](auto dy, auto x) {
        using W = decltype(x);
        const W z = exp_step(-std::fabs(x));
        return dy * (x < 0 ? 1 / (1 + z) : z / (1 + z));
    });
}

void run_mish(KernelCall& call) {
    run_formula_of<1>(call, [](auto x) { return x * tanh_step(log1p_step(exp_step(x))); });
}

void run_mish_gradient(KernelCall& call) {
    run_formula_of<2>(call, [](auto dy, auto x) {
        const auto t = tanh_step(log1p_step(exp_step(x)));
        return dy * (t + x * sigmoid_step(x) * (1 - t * t));
    });
}

void run_hard_shrink(KernelCall& call) {
    run_formula_of<1>(call, [limit = call.number("lambd")](auto x) {
        return x >= -limit && x <= limit ? decltype(x){0} : x;
    });
}

void run_shrink_gradient(KernelCall& call) {
    run_formula_of<2>(call, [limit = call.number("lambd")](auto dy, auto x) {
        return x >= -limit && x <= limit ? decltype(dy){0} : dy;
    });
}

void run_soft_shrink(KernelCall& call) {
    run_formula_of<1>(call, [given = call.number("lambd")](auto x) {
        using W = decltype(x);
        const W limit = static_cast<W>(given);
        return x > limit ? x - limit : (x < -limit ? x + limit : (x == x ? W{0} : x));
    });
}

void run_threshold(KernelCall& call) {
    run_formula_of<1>(call,
                      [threshold = call.number("threshold"), value = call.number("value")](auto x) {
                          return x <= threshold ? static_cast<decltype(x)>(value) : x;
                      });
}

/// Input 1 is the slope of each element's channel, already under x's shape.
void run_prelu(KernelCall& call) {
    run_formula_of<2>(call, [](auto x, auto slope) { return x > 0 ? x : slope * x; });
}

/// Gradients to x and, for each element, to its slope.
void run_prelu_gradient(KernelCall& call) {
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        call.outputs = {
            map_formula<T, 3>(call,
                              [](auto dy, auto x, auto slope) { return x > 0 ? dy : slope * dy; }),
            map_formula<T, 3>(
                call, [](auto dy, auto x, auto) { return x > 0 ? decltype(dy){0} : x * dy; })};
    });
}

/// Constants of Klambauer et al., Self-Normalizing Neural Networks, 2017.
void run_selu(KernelCall& call) {
    run_formula_of<1>(call, [](auto x) {
        const double wide = static_cast<double>(x);
        return 1.0507009873554804934193349852946 *
               (wide > 0 ? wide : 1.6732632423543772848170429916717 * std::expm1(wide));
    });
}

void run_celu(KernelCall& call) {
    run_formula_of<1>(call, [alpha = call.number("alpha")](auto x) {
        const double wide = static_cast<double>(x);
        return wide > 0 ? wide : alpha * std::expm1(wide / alpha);
    });
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a row a kernel
std::span<const Kernel> activation_pairs_kernels() {
    constexpr std::string_view kExact = "floats, exact";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "GeluGrad",
         .formula = "dy times the slope of the tanh form, whatever form was asked; a reference: of "
                    "the form that was asked",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_gelu_gradient},
        {.type = "LeakyReluGrad",
         .formula = "gradients, times negative_slope where features <= 0",
         .dtypes = kFloat32Steps,
         .run = run_leaky_relu_gradient},
        {.type = "EluGradV2",
         .formula = "grads scale above 0, else grads input_scale alpha scale e^(input_scale x)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_elu_gradient},
        {.type = "HardtanhGrad",
         .formula = "grad between min_val and max_val, else 0",
         .dtypes = kExact,
         .run = run_hardtanh_gradient},
        {.type = "HardSwishGrad",
         .formula = "grad (x/3 + 1/2) from -3 to 3, 0 below, grad above",
         .dtypes = kFloat32Steps,
         .source = "ours",
         .run = run_hard_swish_gradient},
        {.type = "HardSigmoidGrad",
         .formula = "grads / 6 between -3 and 3, else 0",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_hard_sigmoid_gradient},
        {.type = "SoftplusV2Grad",
         .formula = "gradients z / (z + 1), z = e^(beta x); gradients where beta x > threshold",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_softplus_gradient},
        {.type = "LogSigmoid",
         .formula = "min(x, 0) - ln(1 + e^-|x|)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_log_sigmoid},
        {.type = "LogSigmoidGrad",
         .formula = "grads / (1 + e^x)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_log_sigmoid_gradient},
        {.type = "Mish",
         .formula = "x tanh(ln(1 + e^x))",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_mish},
        {.type = "MishGrad",
         .formula = "grad (t + x s (1 - t^2)), t = tanh(ln(1 + e^x)), s = 1 / (1 + e^-x)",
         .dtypes = kFloat32Steps,
         .source = "; steps ours",
         .run = run_mish_gradient},
        {.type = "HardShrink",
         .formula = "x outside [-lambd, lambd], else 0",
         .dtypes = kExact,
         .run = run_hard_shrink},
        {.type = "HardShrinkGrad",
         .formula = "gradients outside [-lambd, lambd], else 0",
         .dtypes = kExact,
         .run = run_shrink_gradient},
        {.type = "SoftShrink",
         .formula = "x moved towards 0 by lambd, 0 inside",
         .dtypes = kFloat32Steps,
         .run = run_soft_shrink},
        {.type = "SoftShrinkGrad",
         .formula = "input_grad outside [-lambd, lambd], else 0",
         .dtypes = kExact,
         .run = run_shrink_gradient},
        {.type = "ThresholdV2D",
         .formula = "x above threshold, else value",
         .dtypes = "floats; value rounds once",
         .run = run_threshold},
        {.type = "PRelu",
         .formula = "x, weight x from 0 down",
         .dtypes = kFloat32Steps,
         .run = run_prelu},
        {.type = "PReluGrad",
         .formula = "grads and 0 above 0, else weight grads and x grads",
         .dtypes = kFloat32Steps,
         .source = "; the sum over weight is a ReduceSum here",
         .run = run_prelu_gradient},
        {.type = "Selu",
         .formula = "1.0507 (x, 1.67326 (e^x - 1) from 0 down)",
         .dtypes = "floats; one rounding",
         .source = "; steps ours",
         .run = run_selu},
        {.type = "Celu",
         .formula = "x, alpha (e^(x/alpha) - 1) from 0 down",
         .dtypes = "floats; one rounding",
         .source = "; steps ours",
         .run = run_celu},
    });
    return kRows;
}

}  // namespace npuscope::backend
