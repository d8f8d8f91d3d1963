// Activation functions by the recipes of their CANN operators.
#include <array>
#include <cmath>
#include <limits>

#include "npu_backend/kernels/pointwise/pointwise.h"
#include "npu_backend/numerics/vector_unit.h"

namespace npuscope::backend {

namespace {

/// Applies a recipe with W steps inside to each element; `recipe(x)` takes and gives W.
template <class T, class Recipe>
void apply(KernelCall& call, Recipe recipe) {
    using W = Wide<T>;
    call.outputs = {map_unary<T>(call, call.input(0), [recipe](double x) {
        return static_cast<double>(recipe(static_cast<W>(x)));
    })};
}

/// Error at most 9.6e-5. Source: CANN operator Tanh, high_performance.
template <class W>
W rational_tanh(const VectorUnit<W>& unit, W x) {
    const W s = x * x;
    const W above = x * (W(135135) + s * (W(17325) + s * (W(378) + s)));
    const W below = W(135135) + s * (W(62370) + s * (W(3150) + W(28) * s));
    const W y = unit.divide(above, below);
    return y > W{1} ? W{1} : (y < W{-1} ? W{-1} : y);
}

void run_tanh(KernelCall& call) {
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        if (call.numerics.reference() || std::is_same_v<T, double>) {
            apply<T>(call, [](W x) { return std::tanh(static_cast<double>(x)); });
            return;
        }
        const VectorUnit<W> unit(call.numerics);
        if (!high_precision(call.numerics, "Tanh", true)) {
            apply<T>(call, [unit](W x) { return rational_tanh(unit, x); });
            return;
        }
        apply<T>(call, [unit](W x) {
            const W magnitude = std::fabs(x);
            const W decay = unit.exp(W{-2} * magnitude);
            const W tiny = std::numeric_limits<W>::min();
            return unit.divide(x - x * decay, (magnitude + tiny) * (W{1} + decay));
        });
    });
}

/// float16 of the saturating chip stays in float16, one rounding a step, its input clamped to
/// -ln(65504).
double sigmoid_in_float16(const VectorUnit<Float16>& unit, double x) {
    const auto rounded = [](double value) { return round_nearest<Float16>(value); };
    const double limited = std::fmax(x, to_double(rounded(-11.089)));
    const Float16 decay = unit.exp(rounded(-limited));
    return to_double(unit.reciprocal(rounded(1.0 + to_double(decay))));
}

void run_sigmoid(KernelCall& call) {
    const bool clamps =
        !call.numerics.reference() && call.numerics.overflow_mode() != OverflowMode::kInfNan;
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        if (clamps && std::is_same_v<T, Float16>) {
            const VectorUnit<Float16> unit(call.numerics);
            call.outputs = {map_unary<T>(
                call, call.input(0), [unit](double x) { return sigmoid_in_float16(unit, x); })};
            return;
        }
        const W lowest =
            clamps && !std::is_same_v<T, double> ? W(-88.7) : -std::numeric_limits<W>::infinity();
        const VectorUnit<W> unit(call.numerics);
        apply<T>(call, [unit, lowest](W x) {
            return unit.reciprocal(W{1} + unit.exp(-(x < lowest ? lowest : x)));
        });
    });
}

double gelu_exact(double x) {
    return 0.5 * x * (1.0 + std::erf(x * M_SQRT1_2));
}

/// x (1 + tanh u) / 2, of which nothing cancels.
double gelu_tanh(double x) {
    const double twice = M_SQRT2 * M_2_SQRTPI * (x + 0.044715 * x * x * x);
    return x / (1.0 + std::exp(-twice));
}

void run_gelu(KernelCall& call) {
    const bool tanh_form = call.text("approximate") == "tanh";
    const bool signed_form = call.numerics.overflow_mode() != OverflowMode::kInfNan;
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        if (call.numerics.reference() || std::is_same_v<T, double>) {
            apply<T>(call, [tanh_form](W x) { return tanh_form ? gelu_tanh(x) : gelu_exact(x); });
            return;
        }
        const VectorUnit<W> unit(call.numerics);
        apply<T>(call, [unit, signed_form](W x) {
            const W y = W(1.5957691) * (x + W(0.044715) * (x * x * x));
            if (!signed_form) return unit.divide(x, W{1} + unit.exp(-y));
            const W base = unit.divide(x, W{1} + unit.exp(-std::fabs(y)));
            return x < 0 ? base * unit.exp(y) : base;
        });
    });
}

void run_swish(KernelCall& call) {
    const double scale = call.number("scale");
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        const W factor = static_cast<W>(scale);
        const VectorUnit<W> unit(call.numerics);
        apply<T>(call,
                 [unit, factor](W x) { return unit.divide(x, W{1} + unit.exp(-(factor * x))); });
    });
}

template <auto kFormula>
void run_formula(KernelCall& call) {
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        call.outputs = {
            map_unary<T>(call, call.input(0), [&call](double x) { return kFormula(call, x); })};
    });
}

constexpr auto kHardSigmoid = [](const KernelCall&, double x) {
    return x != x ? x : std::fmin(std::fmax(x / 6.0 + 0.5, 0.0), 1.0);
};
constexpr auto kHardSwish = [](const KernelCall&, double x) {
    return x != x ? x : x * std::fmin(std::fmax(x + 3.0, 0.0), 6.0) / 6.0;
};
constexpr auto kSoftplus = [](const KernelCall&, double x) {
    return x > 20.0 ? x : std::log1p(std::exp(x));
};

void run_leaky_relu(KernelCall& call) {
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        const double slope = to_double(round_nearest<T>(call.number("negative_slope")));
        call.outputs = {
            map_unary<T>(call, call.input(0), [slope](double x) { return x < 0 ? x * slope : x; })};
    });
}

void run_elu(KernelCall& call) {
    const double alpha = call.number("alpha");
    const double scale = call.has_attribute("scale") ? call.number("scale") : 1;
    const double input_scale = call.has_attribute("input_scale") ? call.number("input_scale") : 1;
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        call.outputs = {map_unary<T>(call, call.input(0), [=](double x) {
            return x < 0 ? scale * alpha * std::expm1(x * input_scale) : scale * x;
        })};
    });
}

}  // namespace

std::span<const Kernel> activation_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Tanh",
         .formula = "(x - x e^(-2|x|)) / ((|x| + tiny)(1 + e^(-2|x|))) in float32; "
                    "high_performance_for_all: a rational function; a reference: tanh(x)",
         .dtypes = kFloat32Steps,
         .run = run_tanh},
        {.type = "Sigmoid",
         .formula = "1 / (1 + e^-x); the saturating chip clamps x at -ln(max) and keeps float16 in "
                    "float16",
         .dtypes = kFloat32Steps,
         .source = ", high_precision",
         .run = run_sigmoid},
        {.type = "Gelu",
         .formula = "x / (1 + e^-y), y = 1.5957691 (x + 0.044715 x^3), whatever form was asked; a "
                    "reference: the form that was asked",
         .dtypes = kFloat32Steps,
         .source = ", high_precision",
         .run = run_gelu},
        {.type = "Swish",
         .formula = "x / (1 + e^(-scale x))",
         .dtypes = kFloat32Steps,
         .source = "ours",
         .run = run_swish},
        {.type = "HardSigmoid",
         .formula = "min(max(x/6 + 1/2, 0), 1)",
         .dtypes = "floats; one rounding",
         .source = "ours",
         .run = run_formula<kHardSigmoid>},
        {.type = "HardSwish",
         .formula = "x min(max(x + 3, 0), 6) / 6",
         .dtypes = "floats; one rounding",
         .source = "ours",
         .run = run_formula<kHardSwish>},
        {.type = "SoftplusV2",
         .formula = "ln(1 + e^x), x above 20",
         .dtypes = "floats; one rounding",
         .source = "ours",
         .run = run_formula<kSoftplus>},
        {.type = "LeakyRelu",
         .formula = "x, negative_slope x below 0",
         .dtypes = "floats; one rounding",
         .source = "ours",
         .run = run_leaky_relu},
        {.type = "Elu",
         .formula = "scale x, scale alpha (e^(input_scale x) - 1) below 0",
         .dtypes = "floats; one rounding",
         .source = "ours",
         .run = run_elu},
    });
    return kRows;
}

}  // namespace npuscope::backend
