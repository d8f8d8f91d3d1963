// Element-wise kernels of two tensors, with broadcasting: the exact value, rounded once.
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "npu_backend/kernels/pointwise/float_loops.h"
#include "npu_backend/kernels/pointwise/pointwise.h"

namespace npuscope::backend {

namespace {

__extension__ typedef __int128 Wide128;  // NOLINT(modernize-use-using): no alias form of it

/// int16 and int32 clamp in saturation mode, everything else keeps its low bits.
template <class T>
T store_whole(Wide128 exact, OverflowMode mode, FloatStatus& status) {
    if constexpr (std::is_same_v<T, bool>) {
        return exact != 0;
    } else {
        constexpr bool kWatched = std::is_same_v<T, int16_t> || std::is_same_v<T, int32_t>;
        // NOLINTNEXTLINE(bugprone-signed-char-misuse): an int8 is a number here, no character
        const auto low = static_cast<Wide128>(std::numeric_limits<T>::min());
        const auto high = static_cast<Wide128>(std::numeric_limits<T>::max());
        if (kWatched && (exact < low || exact > high)) {
            status.raise(FloatStatus::kOverflow);
            if (mode != OverflowMode::kInfNan) return static_cast<T>(exact < low ? low : high);
        }
        return static_cast<T>(exact);
    }
}

template <class T, class F>
Tensor map_whole(KernelCall& call, const Tensor& a, const Tensor& b, F f) {
    const Shape shape = broadcast_shapes(a.shape(), b.shape());
    Tensor y(a.dtype(), shape);
    for_broadcast_rows<T>(
        a,
        b,
        shape,
        y.template mutable_as<T>().data(),
        [&](const T* x1, int64_t s1, const T* x2, int64_t s2, T* out, int64_t count) {
            for (int64_t i = 0; i < count; ++i)
                out[i] = store_whole<T>(f(Wide128{x1[i * s1]}, Wide128{x2[i * s2]}),
                                        call.numerics.overflow_mode(),
                                        call.status);
        });
    return y;
}

/// float32 by vectors.
Tensor map_floats(KernelCall& call, const Tensor& a, const Tensor& b, FloatOperation operation) {
    const Shape shape = broadcast_shapes(a.shape(), b.shape());
    Tensor y(DType::kFloat32, shape);
    for_broadcast_rows<float>(
        a,
        b,
        shape,
        y.mutable_as<float>().data(),
        [&](const float* x1, int64_t s1, const float* x2, int64_t s2, float* out, int64_t count) {
            for_tiles(count, call, [&](int64_t begin, int64_t end) {
                return combine_floats(operation,
                                      {x1 + begin * s1, s1},
                                      {x2 + begin * s2, s2},
                                      out + begin,
                                      end - begin);
            });
        });
    return y;
}

template <auto kFormula, auto kWhole>
void run_number_pair(KernelCall& call) {
    require_same_dtype(call);
    const Tensor& a = call.input(0);
    const Tensor& b = call.input(1);
    visit_dtype(a.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            call.outputs = {map_binary<T>(call, a, b, kFormula)};
        } else {
            call.outputs = {map_whole<T>(call, a, b, kWhole)};
        }
    });
}

constexpr auto kDiv = [](double u, double v) { return u / v; };

/// Add, Sub and Mul.
template <auto kFormula, FloatOperation kOperation>
void run_arithmetic(KernelCall& call) {
    require_same_dtype(call);
    if (call.input(0).dtype() == DType::kFloat32 &&
        !saturates<float>(call.numerics.overflow_mode()))
        call.outputs = {map_floats(call, call.input(0), call.input(1), kOperation)};
    else
        run_number_pair<kFormula, kFormula>(call);
}

template <auto kFormula>
void run_float_pair(KernelCall& call) {
    require_same_dtype(call);
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        call.outputs = {map_binary<T>(call, call.input(0), call.input(1), kFormula)};
    });
}

/// One division instruction: with vec_ftz it takes and gives 0 for subnormals.
void run_division(KernelCall& call) {
    if (call.numerics.reference() || !call.numerics.device.options.vec_ftz) {
        run_float_pair<kDiv>(call);
        return;
    }
    require_same_dtype(call);
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        call.outputs = {map_binary<T>(call, call.input(0), call.input(1), [](double u, double v) {
            return flushed<T>(flushed<T>(u) / flushed<T>(v));
        })};
    });
}

template <auto kCompare, class T>
bool compared(T a, T b) {
    if constexpr (kIsFloat<T>) {
        return kCompare(to_double(a), to_double(b));
    } else {
        return kCompare(a, b);
    }
}

template <auto kCompare>
void run_compare(KernelCall& call) {
    require_same_dtype(call);
    const Tensor& a = call.input(0);
    const Tensor& b = call.input(1);
    const Shape shape = broadcast_shapes(a.shape(), b.shape());
    Tensor y(DType::kBool, shape);
    visit_dtype(a.dtype(), [&]<class T>() {
        for_broadcast_rows<T>(
            a,
            b,
            shape,
            y.mutable_as<bool>().data(),
            [&](const T* x1, int64_t s1, const T* x2, int64_t s2, bool* out, int64_t count) {
                for (int64_t i = 0; i < count; ++i)
                    out[i] = compared<kCompare>(x1[i * s1], x2[i * s2]);
            });
    });
    call.outputs = {std::move(y)};
}

template <class T>
Tensor axpy_of_floats(KernelCall& call, const Tensor& x1, const Tensor& x2, double alpha) {
    const double factor = to_double(round_nearest<T>(alpha));
    // The product of two floats of at most 24 bits is exact in double.
    if (!call.numerics.reference() && sizeof(T) <= sizeof(float) &&
        call.numerics.device.options.vec_fma == VectorFma::kFused)
        return map_binary<T>(call, x1, x2, [factor](double u, double v) { return u + v * factor; });
    const Tensor product = map_unary<T>(call, x2, [factor](double v) { return v * factor; });
    return map_binary<T>(call, x1, product, [](double u, double v) { return u + v; });
}

/// Two instructions: the product is rounded (and saturated) before the addition; one with vec_fma.
void run_axpy(KernelCall& call) {
    require_same_dtype(call);
    const Tensor& x1 = call.input(0);
    const Tensor& x2 = call.input(1);
    const double alpha = call.number("alpha");
    visit_dtype(x1.dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            call.outputs = {axpy_of_floats<T>(call, x1, x2, alpha)};
        } else {
            const auto factor = static_cast<int64_t>(alpha);
            call.outputs = {map_whole<T>(
                call, x1, x2, [factor](Wide128 u, Wide128 v) { return u + v * factor; })};
        }
    });
}

constexpr auto kAdd = [](auto u, auto v) { return u + v; };
constexpr auto kSub = [](auto u, auto v) { return u - v; };
constexpr auto kMul = [](auto u, auto v) { return u * v; };
constexpr auto kPow = [](double u, double v) { return std::pow(u, v); };
constexpr auto kPowWhole = [](Wide128 u, Wide128 v) {
    if (v < 0) return Wide128{u == 1 ? 1 : (u == -1 ? (v % 2 == 0 ? 1 : -1) : 0)};
    uint64_t result = 1;
    auto factor = static_cast<uint64_t>(u);
    for (auto n = static_cast<uint64_t>(v); n != 0; n >>= 1, factor *= factor)
        if ((n & 1) != 0) result *= factor;
    return Wide128{static_cast<int64_t>(result)};
};
constexpr auto kFloorDiv = [](double u, double v) { return std::floor(u / v); };
constexpr auto kFloorDivWhole = [](Wide128 u, Wide128 v) {
    const Wide128 quotient = u / v;
    return quotient * v != u && (u < 0) != (v < 0) ? quotient - 1 : quotient;
};
constexpr auto kTruncateDiv = [](double u, double v) { return std::trunc(u / v); };
constexpr auto kTruncateDivWhole = [](Wide128 u, Wide128 v) { return u / v; };

/// Integers refuse a zero divisor, floats follow IEEE 754.
template <auto kFormula, auto kWhole>
void run_whole_division(KernelCall& call) {
    const Tensor& divisor = call.input(1);
    if (!is_float(divisor.dtype()))
        for (int64_t i = 0; i < divisor.numel(); ++i)
            if (divisor.at(i) == 0) call.reject("integer division by zero");
    run_number_pair<kFormula, kWhole>(call);
}

constexpr auto kMax = [](auto u, auto v) { return u != u ? u : (v != v ? v : (u < v ? v : u)); };
constexpr auto kMin = [](auto u, auto v) { return u != u ? u : (v != v ? v : (v < u ? v : u)); };
constexpr auto kGreater = [](auto u, auto v) { return u > v; };
constexpr auto kGreaterEqual = [](auto u, auto v) { return u >= v; };
constexpr auto kLess = [](auto u, auto v) { return u < v; };
constexpr auto kLessEqual = [](auto u, auto v) { return u <= v; };
constexpr auto kEqual = [](auto u, auto v) { return u == v; };
constexpr auto kNotEqual = [](auto u, auto v) { return u != v; };

}  // namespace

std::span<const Kernel> pointwise_binary_kernels() {
    constexpr std::string_view kNumbers = "floats of one dtype with one rounding; integers exact";
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Add",
         .formula = "x1 + x2",
         .dtypes = kNumbers,
         .source = "; float16 stays float16",
         .run = run_arithmetic<kAdd, FloatOperation::kAdd>},
        {.type = "Sub",
         .formula = "x1 - x2",
         .dtypes = kNumbers,
         .source = "; float16 stays float16",
         .run = run_arithmetic<kSub, FloatOperation::kSub>},
        {.type = "Mul",
         .formula = "x1 * x2",
         .dtypes = kNumbers,
         .source = "; float16 stays float16",
         .run = run_arithmetic<kMul, FloatOperation::kMul>},
        {.type = "RealDiv",
         .formula = "x1 / x2",
         .source = ", high_performance: float16 divides in float16",
         .run = run_division},
        {.type = "FloorDiv",
         .formula = "floor(x1 / x2)",
         .dtypes = kNumbers,
         .run = run_whole_division<kFloorDiv, kFloorDivWhole>},
        {.type = "TruncateDiv",
         .formula = "x1 / x2 toward zero",
         .dtypes = kNumbers,
         .run = run_whole_division<kTruncateDiv, kTruncateDivWhole>},
        {.type = "Pow",
         .colour = PrecisionColour::kBlack,
         .formula = "x1 ^ x2",
         .dtypes = kNumbers,
         .source = "; last bit not public, correctly rounded here",
         .run = run_number_pair<kPow, kPowWhole>},
        {.type = "Maximum",
         .formula = "max(x1, x2), nan if either is",
         .dtypes = kNumbers,
         .run = run_number_pair<kMax, kMax>},
        {.type = "Minimum",
         .formula = "min(x1, x2), nan if either is",
         .dtypes = kNumbers,
         .run = run_number_pair<kMin, kMin>},
        {.type = "Axpy",
         .formula = "x1 + round(alpha * x2)",
         .dtypes = kNumbers,
         .source = "; product saturates before the sum (Axpy boundary table)",
         .run = run_axpy},
        {.type = "Greater",
         .formula = "x1 > x2",
         .dtypes = "any of one dtype, to bool",
         .run = run_compare<kGreater>},
        {.type = "GreaterEqual",
         .formula = "x1 >= x2",
         .dtypes = "any of one dtype, to bool",
         .run = run_compare<kGreaterEqual>},
        {.type = "Less",
         .formula = "x1 < x2",
         .dtypes = "any of one dtype, to bool",
         .run = run_compare<kLess>},
        {.type = "LessEqual",
         .formula = "x1 <= x2",
         .dtypes = "any of one dtype, to bool",
         .run = run_compare<kLessEqual>},
        {.type = "Equal",
         .formula = "x1 == x2",
         .dtypes = "any of one dtype, to bool",
         .run = run_compare<kEqual>},
        {.type = "NotEqual",
         .formula = "x1 != x2",
         .dtypes = "any of one dtype, to bool",
         .run = run_compare<kNotEqual>},
    });
    return kRows;
}

}  // namespace npuscope::backend
