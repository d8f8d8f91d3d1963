// Element-wise kernels of one tensor: the exact value of the formula, rounded once.
#include <array>
#include <cmath>
#include <limits>

#include "npu_backend/kernels/float_loops.h"
#include "npu_backend/kernels/pointwise.h"

namespace npuscope::backend {

namespace {

constexpr std::string_view kFloats = "float16, bfloat16, float32, float64; one rounding";
constexpr std::string_view kNumbers = "floats with one rounding; integers exact";
constexpr std::string_view kBitsUnknown =
    "CANN operator of this name; the instruction's last bit is not public, correctly rounded here";

/// Rows whose formula is one function of double.
template <auto kFormula>
void run_float(KernelCall& call) {
    const Tensor& x = call.input(0);
    visit_float(
        call, x.dtype(), [&]<class T>() { call.outputs = {map_unary<T>(call, x, kFormula)}; });
}

/// Which option sets an instruction's error.
enum class Unit : uint8_t { kPlain, kReciprocal, kExponential };

/// Instructions whose last bits and subnormals are not public: what the options put on them.
template <auto kFormula, Unit kUnit>
void run_instruction(KernelCall& call) {
    const ChipOptions& options = call.numerics.device.options;
    const int ulps = kUnit == Unit::kReciprocal    ? options.rec_ulp
                     : kUnit == Unit::kExponential ? options.exp_ulp
                                                   : 0;
    const bool flush = options.vec_ftz;
    if (call.numerics.reference() || (ulps == 0 && !flush)) {
        run_float<kFormula>(call);
        return;
    }
    const Tensor& x = call.input(0);
    visit_float(call, x.dtype(), [&]<class T>() {
        call.outputs = {map_unary<T>(call, x, [=](double value) {
            if (flush) value = flushed<T>(value);
            const double exact = kFormula(value);
            const double moved = ulps == 0 ? exact : moved_by_ulps<T>(exact, value, ulps);
            return flush ? flushed<T>(moved) : moved;
        })};
    });
}

/// Rows that integers have too: kWhole on int64_t.
template <auto kFormula, auto kWhole>
void run_number(KernelCall& call) {
    const Tensor& x = call.input(0);
    visit_dtype(x.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            call.outputs = {map_unary<T>(call, x, kFormula)};
        } else {
            Tensor y(x.dtype(), x.shape());
            const auto in = x.as<T>();
            const auto out = y.template mutable_as<T>();
            for (size_t i = 0; i < in.size(); ++i)
                out[i] = static_cast<T>(kWhole(static_cast<int64_t>(in[i])));
            call.outputs = {std::move(y)};
        }
    });
}

// nan stays nan; saturation mode then writes 0.
constexpr auto kRelu = [](double x) { return x > 0 ? x : (x == x ? 0.0 : x); };
constexpr auto kReluWhole = [](int64_t x) { return x > 0 ? x : 0; };
void run_relu(KernelCall& call) {
    const Tensor& x = call.input(0);
    if (x.dtype() != DType::kFloat32) {
        run_number<kRelu, kReluWhole>(call);
        return;
    }
    Tensor y(x.dtype(), x.shape());
    const float* in = x.as<float>().data();
    float* out = y.mutable_as<float>().data();
    for_tiles(x.numel(), call, [&](int64_t begin, int64_t end) {
        return relu_floats(in + begin, out + begin, end - begin);
    });
    call.outputs = {std::move(y)};
}
constexpr auto kNeg = [](double x) { return -x; };
constexpr auto kNegWhole = [](int64_t x) {
    return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
};
constexpr auto kAbs = [](double x) { return std::fabs(x); };
constexpr auto kAbsWhole = [](int64_t x) { return x < 0 ? kNegWhole(x) : x; };
constexpr auto kSqrt = [](double x) { return std::sqrt(x); };
constexpr auto kRsqrt = [](double x) { return 1.0 / std::sqrt(x); };
constexpr auto kReciprocal = [](double x) { return 1.0 / x; };
constexpr auto kExp = [](double x) { return std::exp(x); };
constexpr auto kLog = [](double x) { return std::log(x); };
constexpr auto kLog2 = [](double x) { return std::log2(x); };
constexpr auto kLog10 = [](double x) { return std::log10(x); };
constexpr auto kErf = [](double x) { return std::erf(x); };
constexpr auto kSin = [](double x) { return std::sin(x); };
constexpr auto kCos = [](double x) { return std::cos(x); };
constexpr auto kFloor = [](double x) { return std::floor(x); };
constexpr auto kCeil = [](double x) { return std::ceil(x); };
constexpr auto kRound = [](double x) { return std::nearbyint(x); };
constexpr auto kSame = [](int64_t x) { return x; };

/// Muls and Adds: a tensor and a number, the number rounded to the tensor's dtype first.
template <auto kFormula>
void run_with_number(KernelCall& call) {
    const Tensor& x = call.input(0);
    visit_float(call, x.dtype(), [&]<class T>() {
        const double value = to_double(round_nearest<T>(call.number("value")));
        call.outputs = {map_unary<T>(call, x, [value](double u) { return kFormula(u, value); })};
    });
}

/// Attribute base: 2 or 10; e when absent.
void run_log(KernelCall& call) {
    const double base = call.has_attribute("base") ? call.number("base") : -1;
    if (base == 2)
        run_instruction<kLog2, Unit::kExponential>(call);
    else if (base == 10)
        run_instruction<kLog10, Unit::kExponential>(call);
    else
        run_instruction<kLog, Unit::kExponential>(call);
}

constexpr auto kMuls = [](double x, double value) { return x * value; };
constexpr auto kAdds = [](double x, double value) { return x + value; };

constexpr auto kRows = std::to_array<Kernel>({
    {"Relu", "max(x, 0)", kNumbers, "CANN operator Relu", run_relu},
    {"Neg", "-x", kNumbers, "CANN operator Neg", run_number<kNeg, kNegWhole>},
    {"Abs", "|x|", kNumbers, "CANN operator Abs", run_number<kAbs, kAbsWhole>},
    {"Sqrt", "sqrt(x)", kFloats, kBitsUnknown, run_instruction<kSqrt, Unit::kPlain>},
    {"Rsqrt", "1 / sqrt(x)", kFloats, kBitsUnknown, run_instruction<kRsqrt, Unit::kReciprocal>},
    {"Reciprocal", "1 / x", kFloats, kBitsUnknown, run_instruction<kReciprocal, Unit::kReciprocal>},
    {"Exp", "e^x", kFloats, kBitsUnknown, run_instruction<kExp, Unit::kExponential>},
    {"Log", "ln(x), or the logarithm to base", kFloats, kBitsUnknown, run_log},
    {"Erf", "erf(x)", kFloats, kBitsUnknown, run_float<kErf>},
    {"Sin", "sin(x)", kFloats, kBitsUnknown, run_float<kSin>},
    {"Cos", "cos(x)", kFloats, kBitsUnknown, run_float<kCos>},
    {"Floor", "floor(x)", kNumbers, "CANN operator Floor", run_number<kFloor, kSame>},
    {"Ceil", "ceil(x)", kNumbers, "CANN operator Ceil", run_number<kCeil, kSame>},
    {"Round",
     "x to the nearest integer, ties to even",
     kNumbers,
     "CANN operator Round",
     run_number<kRound, kSame>},
    {"Muls", "x * value", kFloats, "CANN operator Muls", run_with_number<kMuls>},
    {"Adds", "x + value", kFloats, "CANN operator Adds", run_with_number<kAdds>},
});

}  // namespace

extern const std::span<const Kernel> k_pointwise_unary_kernels;
const std::span<const Kernel> k_pointwise_unary_kernels = kRows;

}  // namespace npuscope::backend
