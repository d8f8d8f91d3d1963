// Element-wise kernels of one tensor: the exact value of the formula, rounded once.
#include <array>
#include <cmath>
#include <limits>

#include "npu_backend/kernels/pointwise/float_loops.h"
#include "npu_backend/kernels/pointwise/pointwise.h"

namespace npuscope::backend {

namespace {

/// Rows whose formula is one function of double.
/// Which option sets an instruction's error.
enum class Instruction : uint8_t { kPlain, kReciprocal, kExponential };

/// Instructions whose last bits and subnormals are not public: what the options put on them.
template <auto kFormula, Instruction kInstruction>
void run_instruction(KernelCall& call) {
    const ChipOptions& options = call.numerics.device.options;
    const int ulps = kInstruction == Instruction::kReciprocal    ? options.rec_ulp
                     : kInstruction == Instruction::kExponential ? options.exp_ulp
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
        run_instruction<kLog2, Instruction::kExponential>(call);
    else if (base == 10)
        run_instruction<kLog10, Instruction::kExponential>(call);
    else
        run_instruction<kLog, Instruction::kExponential>(call);
}

constexpr auto kMuls = [](double x, double value) { return x * value; };
constexpr auto kAdds = [](double x, double value) { return x + value; };

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

std::span<const Kernel> pointwise_unary_kernels() {
    constexpr std::string_view kNumbers = "floats with one rounding; integers exact";
    constexpr std::string_view kBitsUnknown =
        "CANN operator of this name; the instruction's last bit is not public, correctly rounded "
        "here";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Relu", .formula = "max(x, 0)", .dtypes = kNumbers, .run = run_relu},
        {.type = "Neg",
         .exact = true,
         .formula = "-x",
         .dtypes = kNumbers,
         .run = run_number<kNeg, kNegWhole>},
        {.type = "Abs",
         .exact = true,
         .formula = "|x|",
         .dtypes = kNumbers,
         .run = run_number<kAbs, kAbsWhole>},
        {.type = "Sqrt",
         .formula = "sqrt(x)",
         .source = kBitsUnknown,
         .run = run_instruction<kSqrt, Instruction::kPlain>},
        {.type = "Rsqrt",
         .colour = PrecisionColour::kBlack,
         .formula = "1 / sqrt(x)",
         .source = kBitsUnknown,
         .run = run_instruction<kRsqrt, Instruction::kReciprocal>},
        {.type = "Reciprocal",
         .colour = PrecisionColour::kBlack,
         .formula = "1 / x",
         .source = kBitsUnknown,
         .run = run_instruction<kReciprocal, Instruction::kReciprocal>},
        {.type = "Exp",
         .colour = PrecisionColour::kBlack,
         .formula = "e^x",
         .source = kBitsUnknown,
         .run = run_instruction<kExp, Instruction::kExponential>},
        {.type = "Log",
         .colour = PrecisionColour::kBlack,
         .formula = "ln(x), or the logarithm to base",
         .source = kBitsUnknown,
         .run = run_log},
        {.type = "Erf",
         .colour = PrecisionColour::kBlack,
         .formula = "erf(x)",
         .source = kBitsUnknown,
         .run = run_float<kErf>},
        {.type = "Floor",
         .formula = "floor(x)",
         .dtypes = kNumbers,
         .run = run_number<kFloor, kSame>},
        {.type = "Ceil", .formula = "ceil(x)", .dtypes = kNumbers, .run = run_number<kCeil, kSame>},
        {.type = "Round",
         .formula = "x to the nearest integer, ties to even",
         .dtypes = kNumbers,
         .run = run_number<kRound, kSame>},
        {.type = "Muls", .formula = "x * value", .run = run_with_number<kMuls>},
        {.type = "Adds", .formula = "x + value", .run = run_with_number<kAdds>},
        {.type = "Sign",
         .formula = "-1, 0 or 1; nan stays",
         .dtypes = "floats and integers",
         .run = run_sign},
    });
    return kRows;
}

}  // namespace npuscope::backend
