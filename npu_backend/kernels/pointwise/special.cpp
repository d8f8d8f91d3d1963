// Element-wise functions beside the instructions: near 0 and 1, of errors, angles of two tensors.
#include <array>
#include <cmath>
#include <limits>

#include "npu_backend/kernels/pointwise/formula.h"

namespace npuscope::backend {

namespace {

/// Giles' start ("Approximating the erfinv function", 2011, single precision), then Newton steps on
/// erf, or on erfc where y is near 1.
double inverse_erf(double y) {
    const double size = std::fabs(y);
    if (size > 1 || y != y) return std::numeric_limits<double>::quiet_NaN();
    if (size == 1) return std::copysign(std::numeric_limits<double>::infinity(), y);
    double w = -std::log((1 - size) * (1 + size));
    double x = 0;
    if (w < 5) {
        w -= 2.5;
        x = 2.81022636e-08;
        for (const double c : {3.43273939e-07,
                               -3.5233877e-06,
                               -4.39150654e-06,
                               0.00021858087,
                               -0.00125372503,
                               -0.00417768164,
                               0.246640727,
                               1.50140941})
            x = c + x * w;
    } else {
        w = std::sqrt(w) - 3;
        x = -0.000200214257;
        for (const double c : {0.000100950558,
                               0.00134934322,
                               -0.00367342844,
                               0.00573950773,
                               -0.0076224613,
                               0.00943887047,
                               1.00167406,
                               2.83297682})
            x = c + x * w;
    }
    x *= size;
    for (int step = 0; step < 3; ++step) {
        const double error = size < 0.5 ? std::erf(x) - size : (1 - size) - std::erfc(x);
        x -= error / (M_2_SQRTPI * std::exp(-x * x));
    }
    return std::copysign(x, y);
}

template <auto kFormula>
void run_pair(KernelCall& call) {
    run_formula_of<2>(call, [](auto x, auto y) {
        return kFormula(static_cast<double>(x), static_cast<double>(y));
    });
}

/// Integers are whole already.
void run_trunc(KernelCall& call) {
    if (!is_float(call.input(0).dtype())) {
        call.outputs = {call.input(0)};
        return;
    }
    run_formula_of<1>(call, [](auto x) { return std::trunc(x); });
}

/// Attributes nan, posinf, neginf; the largest finite values where they are missing.
void run_nan_to_num(KernelCall& call) {
    const auto given = [&](const char* name, double otherwise) {
        return call.has_attribute(name) ? call.number(name) : otherwise;
    };
    const DType dtype = call.dtype("limits").value_or(call.input(0).dtype());
    const double largest = visit_dtype(dtype, [&]<class T>() {
        if constexpr (std::is_same_v<T, Float16>) return 65504.0;
        if constexpr (std::is_same_v<T, BFloat16>) return 0x1.fep127;
        if constexpr (std::is_floating_point_v<T>)
            return static_cast<double>(std::numeric_limits<T>::max());
        return 0.0;
    });
    const double nan = given("nan", 0.0);
    const double above = given("posinf", largest);
    const double below = given("neginf", -largest);
    run_formula_of<1>(call, [=](auto x) {
        using W = decltype(x);
        if (x != x) return static_cast<W>(nan);
        if (std::isinf(x)) return static_cast<W>(x > 0 ? above : below);
        return x;
    });
}

/// Attribute eps: x is held between eps and 1 - eps; absent, x is taken as it is.
void run_logit(KernelCall& call) {
    const double eps = call.has_attribute("eps") ? call.number("eps") : -1;
    run_formula_of<1>(call, [eps](auto x) {
        double wide = static_cast<double>(x);
        if (eps >= 0) wide = wide < eps ? eps : (wide > 1 - eps ? 1 - eps : wide);
        return std::log(wide / (1 - wide));
    });
}

/// 0 where x was held; without eps nan outside 0 to 1.
void run_logit_gradient(KernelCall& call) {
    const double eps = call.has_attribute("eps") ? call.number("eps") : -1;
    run_formula_of<2>(call, [eps](auto dy, auto x) {
        using W = decltype(x);
        if (eps >= 0 ? x < eps || x > 1 - eps : x < 0 || x > 1)
            return eps >= 0 ? W{0} : std::numeric_limits<W>::quiet_NaN();
        return dy / (x * (1 - x));
    });
}

/// Inputs grad, x1 - x2 and their distance, broadcast; attribute p.
void run_distance_gradient(KernelCall& call) {
    run_formula_of<3>(call, [p = call.number("p")](auto dy, auto apart, auto distance) {
        using W = decltype(apart);
        const W sign = static_cast<W>((apart > 0) - (apart < 0));
        if (p == 0 || distance == 0) return W{0};
        if (p == 1) return dy * sign;
        if (p == 2) return dy * apart / distance;
        if (std::isinf(p)) return std::fabs(apart) == distance ? dy * sign : W{0};
        const double share = std::fabs(static_cast<double>(apart)) / static_cast<double>(distance);
        return dy * sign * static_cast<W>(std::pow(share, p - 1));
    });
}

constexpr auto kXLogY = [](double x, double y) {
    return y != y ? y : (x == 0 ? 0.0 : x * std::log(y));
};
constexpr auto kExpm1 = [](double x) { return std::expm1(x); };
constexpr auto kExp2 = [](double x) { return std::exp2(x); };
constexpr auto kLog1p = [](double x) { return std::log1p(x); };
constexpr auto kErfc = [](double x) { return std::erfc(x); };
constexpr auto kAtan2 = [](double y, double x) { return std::atan2(y, x); };
constexpr auto kHypot = [](double x, double y) { return std::hypot(x, y); };
constexpr auto kLogAddExp = [](double x, double y) {
    if (std::isinf(x) && x == y) return x;
    return std::fmax(x, y) + std::log1p(std::exp(-std::fabs(x - y)));
};

}  // namespace

std::span<const Kernel> special_kernels() {
    constexpr std::string_view kSource =
        "CANN operator of this name; last bit not public, correctly rounded here";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Expm1", .formula = "e^x - 1", .source = kSource, .run = run_float<kExpm1>},
        {.type = "Exp2", .formula = "2^x", .source = "ours", .run = run_float<kExp2>},
        {.type = "Log1p", .formula = "ln(1 + x)", .source = kSource, .run = run_float<kLog1p>},
        {.type = "Erfc", .formula = "1 - erf(x)", .source = kSource, .run = run_float<kErfc>},
        {.type = "Erfinv",
         .formula = "the x whose erf is input_x",
         .source = kSource,
         .run = run_float<inverse_erf>},
        {.type = "Atan2",
         .formula = "angle of (x2, x1)",
         .source = kSource,
         .run = run_pair<kAtan2>},
        {.type = "Hypot",
         .formula = "sqrt(x1^2 + x2^2)",
         .source = "ours",
         .run = run_pair<kHypot>},
        {.type = "LogAddExp",
         .formula = "ln(e^x1 + e^x2)",
         .source = "ours",
         .run = run_pair<kLogAddExp>},
        {.type = "Xlogy",
         .formula = "x1 ln(x2), 0 for x1 0",
         .source = kSource,
         .run = run_pair<kXLogY>},
        {.type = "Logit",
         .formula = "ln(x / (1 - x)), x held between eps and 1 - eps",
         .source = "ours",
         .run = run_logit},
        {.type = "LogitGrad",
         .formula = "grads / (x (1 - x)), 0 where x was held",
         .dtypes = kFloat32Steps,
         .source = "ours",
         .run = run_logit_gradient},
        {.type = "CdistGrad",
         .formula = "grad sign(d) (|d| / distance)^(p - 1), d = x1 - x2",
         .dtypes = kFloat32Steps,
         .source = "; steps ours, the sum over rows is a ReduceSum here",
         .run = run_distance_gradient},
        {.type = "Trunc",
         .formula = "x toward zero",
         .dtypes = "floats, exact; integers as they are",
         .source = kSource,
         .run = run_trunc},
        {.type = "NanToNum",
         .formula = "x; nan, inf and -inf replaced",
         .dtypes = "floats, exact",
         .source = "ours",
         .run = run_nan_to_num},
    });
    return kRows;
}

}  // namespace npuscope::backend
