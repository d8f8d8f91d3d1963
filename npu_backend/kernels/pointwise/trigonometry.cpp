// Circular and hyperbolic functions and their inverses: the exact value, rounded once.
#include <array>
#include <cmath>

#include "npu_backend/kernels/pointwise/pointwise.h"

namespace npuscope::backend {

namespace {

constexpr auto kSin = [](double x) { return std::sin(x); };
constexpr auto kCos = [](double x) { return std::cos(x); };
constexpr auto kTan = [](double x) { return std::tan(x); };
constexpr auto kAsin = [](double x) { return std::asin(x); };
constexpr auto kAcos = [](double x) { return std::acos(x); };
constexpr auto kAtan = [](double x) { return std::atan(x); };
constexpr auto kSinh = [](double x) { return std::sinh(x); };
constexpr auto kCosh = [](double x) { return std::cosh(x); };
constexpr auto kAsinh = [](double x) { return std::asinh(x); };
constexpr auto kAcosh = [](double x) { return std::acosh(x); };
constexpr auto kAtanh = [](double x) { return std::atanh(x); };

}  // namespace

std::span<const Kernel> trigonometry_kernels() {
    constexpr std::string_view kBitsUnknown =
        "CANN operator of this name; the instruction's last bit is not public, correctly rounded "
        "here";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Sin", .formula = "sin(x)", .source = kBitsUnknown, .run = run_float<kSin>},
        {.type = "Cos", .formula = "cos(x)", .source = kBitsUnknown, .run = run_float<kCos>},
        {.type = "Tan", .formula = "tan(x)", .source = kBitsUnknown, .run = run_float<kTan>},
        {.type = "Asin", .formula = "arcsin(x)", .source = kBitsUnknown, .run = run_float<kAsin>},
        {.type = "Acos", .formula = "arccos(x)", .source = kBitsUnknown, .run = run_float<kAcos>},
        {.type = "Atan", .formula = "arctan(x)", .source = kBitsUnknown, .run = run_float<kAtan>},
        {.type = "Sinh", .formula = "sinh(x)", .source = kBitsUnknown, .run = run_float<kSinh>},
        {.type = "Cosh", .formula = "cosh(x)", .source = kBitsUnknown, .run = run_float<kCosh>},
        {.type = "Asinh", .formula = "arsinh(x)", .source = kBitsUnknown, .run = run_float<kAsinh>},
        {.type = "Acosh", .formula = "arcosh(x)", .source = kBitsUnknown, .run = run_float<kAcosh>},
        {.type = "Atanh", .formula = "artanh(x)", .source = kBitsUnknown, .run = run_float<kAtanh>},
    });
    return kRows;
}

}  // namespace npuscope::backend
