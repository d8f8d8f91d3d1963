// Circular and hyperbolic functions, their inverses, and sign: the exact value, rounded once.
#include <array>
#include <cmath>

#include "npu_backend/kernels/pointwise/pointwise.h"

namespace npuscope::backend {

namespace {

constexpr auto kTan = [](double x) { return std::tan(x); };
constexpr auto kAsin = [](double x) { return std::asin(x); };
constexpr auto kAcos = [](double x) { return std::acos(x); };
constexpr auto kAtan = [](double x) { return std::atan(x); };
constexpr auto kSinh = [](double x) { return std::sinh(x); };
constexpr auto kCosh = [](double x) { return std::cosh(x); };
constexpr auto kAsinh = [](double x) { return std::asinh(x); };
constexpr auto kAcosh = [](double x) { return std::acosh(x); };
constexpr auto kAtanh = [](double x) { return std::atanh(x); };
constexpr auto kSign = [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : x); };

void run_sign(KernelCall& call) {
    const Tensor& x = call.input(0);
    visit_dtype(x.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            call.outputs = {map_unary<T>(call, x, kSign)};
        } else {
            Tensor y(x.dtype(), x.shape());
            const auto in = x.as<T>();
            const auto out = y.template mutable_as<T>();
            for (size_t i = 0; i < in.size(); ++i)
                out[i] =
                    static_cast<T>(static_cast<int>(in[i] > T{0}) - static_cast<int>(in[i] < T{0}));
            call.outputs = {std::move(y)};
        }
    });
}

}  // namespace

std::span<const Kernel> trigonometry_kernels() {
    constexpr std::string_view kBitsUnknown =
        "CANN operator of this name; the instruction's last bit is not public, correctly rounded "
        "here";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Tan", .formula = "tan(x)", .source = kBitsUnknown, .run = run_float<kTan>},
        {.type = "Asin", .formula = "arcsin(x)", .source = kBitsUnknown, .run = run_float<kAsin>},
        {.type = "Acos", .formula = "arccos(x)", .source = kBitsUnknown, .run = run_float<kAcos>},
        {.type = "Atan", .formula = "arctan(x)", .source = kBitsUnknown, .run = run_float<kAtan>},
        {.type = "Sinh", .formula = "sinh(x)", .source = kBitsUnknown, .run = run_float<kSinh>},
        {.type = "Cosh", .formula = "cosh(x)", .source = kBitsUnknown, .run = run_float<kCosh>},
        {.type = "Asinh", .formula = "arsinh(x)", .source = kBitsUnknown, .run = run_float<kAsinh>},
        {.type = "Acosh", .formula = "arcosh(x)", .source = kBitsUnknown, .run = run_float<kAcosh>},
        {.type = "Atanh", .formula = "artanh(x)", .source = kBitsUnknown, .run = run_float<kAtanh>},
        {.type = "Sign",
         .formula = "-1, 0 or 1; nan stays",
         .dtypes = "floats and integers",
         .run = run_sign},
    });
    return kRows;
}

}  // namespace npuscope::backend
