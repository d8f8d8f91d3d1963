// Circular and hyperbolic functions, their inverses, and sign: the exact value, rounded once.
#include <array>
#include <cmath>

#include "npu_backend/kernels/pointwise.h"

namespace npuscope::backend {

namespace {

constexpr std::string_view kFloats = "float16, bfloat16, float32, float64; one rounding";
constexpr std::string_view kBitsUnknown =
    "CANN operator of this name; the instruction's last bit is not public, correctly rounded here";

template <auto kFormula>
void run_float(KernelCall& call) {
    const Tensor& x = call.input(0);
    visit_float(
        call, x.dtype(), [&]<class T>() { call.outputs = {map_unary<T>(call, x, kFormula)}; });
}

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

constexpr auto kRows = std::to_array<Kernel>({
    {"Tan", "tan(x)", kFloats, kBitsUnknown, run_float<kTan>},
    {"Asin", "arcsin(x)", kFloats, kBitsUnknown, run_float<kAsin>},
    {"Acos", "arccos(x)", kFloats, kBitsUnknown, run_float<kAcos>},
    {"Atan", "arctan(x)", kFloats, kBitsUnknown, run_float<kAtan>},
    {"Sinh", "sinh(x)", kFloats, kBitsUnknown, run_float<kSinh>},
    {"Cosh", "cosh(x)", kFloats, kBitsUnknown, run_float<kCosh>},
    {"Asinh", "arsinh(x)", kFloats, kBitsUnknown, run_float<kAsinh>},
    {"Acosh", "arcosh(x)", kFloats, kBitsUnknown, run_float<kAcosh>},
    {"Atanh", "artanh(x)", kFloats, kBitsUnknown, run_float<kAtanh>},
    {"Sign", "-1, 0 or 1; nan stays", "floats and integers", "CANN operator Sign", run_sign},
});

}  // namespace

extern const std::span<const Kernel> k_trigonometry_kernels;
const std::span<const Kernel> k_trigonometry_kernels = kRows;

}  // namespace npuscope::backend
