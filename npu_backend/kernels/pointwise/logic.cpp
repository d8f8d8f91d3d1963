// Truth values, bits and remainders, element by element.
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "npu_backend/kernels/pointwise/pointwise.h"

namespace npuscope::backend {

namespace {

/// y[i] = f(a[i], b[i]) in T, broadcast.
template <class T, class F>
Tensor map_exact(const Tensor& a, const Tensor& b, F f) {
    const Shape shape = broadcast_shapes(a.shape(), b.shape());
    Tensor y(a.dtype(), shape);
    for_broadcast_rows<T>(
        a,
        b,
        shape,
        y.template mutable_as<T>().data(),
        [&](const T* x1, int64_t s1, const T* x2, int64_t s2, T* out, int64_t count) {
            for (int64_t i = 0; i < count; ++i)
                out[i] = static_cast<T>(f(x1[i * s1], x2[i * s2]));
        });
    return y;
}

template <auto kFormula>
void run_bool(KernelCall& call) {
    for (const Tensor& tensor : call.inputs)
        if (tensor.dtype() != DType::kBool) call.refuse(tensor.dtype());
    call.outputs = {map_exact<bool>(call.input(0), call.input(1), kFormula)};
}

void run_not(KernelCall& call) {
    Tensor y = call.input(0);
    for (bool& value : y.mutable_as<bool>())
        value = !value;
    call.outputs = {std::move(y)};
}

/// Bits of integers.
template <auto kFormula>
void run_bits(KernelCall& call) {
    require_same_dtype(call);
    visit_dtype(call.input(0).dtype(), [&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            call.outputs = {map_exact<T>(call.input(0), call.input(1), kFormula)};
        } else {
            call.refuse(call.input(0).dtype());
        }
    });
}

void run_invert(KernelCall& call) {
    visit_dtype(call.input(0).dtype(), [&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            Tensor y = call.input(0);
            for (T& value : y.mutable_as<T>())
                value = static_cast<T>(~value);
            call.outputs = {std::move(y)};
        } else {
            call.refuse(call.input(0).dtype());
        }
    });
}

/// Bits are shifted as unsigned ones; a shift by the width or more leaves none.
template <bool kLeft>
void run_shift(KernelCall& call) {
    require_same_dtype(call);
    visit_dtype(call.input(0).dtype(), [&]<class T>() {
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            constexpr auto kWidth = static_cast<uint64_t>(sizeof(T) * 8);
            call.outputs = {map_exact<T>(call.input(0), call.input(1), [](T value, T by) {
                using Bits = std::make_unsigned_t<T>;
                const auto count = static_cast<uint64_t>(static_cast<Bits>(by));
                const auto bits = static_cast<uint64_t>(static_cast<Bits>(value));
                if constexpr (kLeft)
                    return count < kWidth ? bits << count : uint64_t{0};
                else
                    return static_cast<T>(count < kWidth ? value >> count
                                                         : (value < T{0} ? -1 : 0));
            })};
        } else {
            call.refuse(call.input(0).dtype());
        }
    });
}

/// The remainder of integers; v is not 0.
template <bool kFloor, class T>
T integer_remainder(T u, T v) {
    if constexpr (std::is_signed_v<T>) {
        if (v == T{-1}) return T{0};
        const auto rest = static_cast<T>(u % v);
        return static_cast<T>(kFloor && rest != 0 && (rest < 0) != (v < 0) ? rest + v : rest);
    } else {
        return static_cast<T>(u % v);
    }
}

template <bool kFloor>
double float_remainder(double u, double v) {
    const double rest = std::fmod(u, v);
    return kFloor && rest != 0 && (rest < 0) != (v < 0) ? rest + v : rest;
}

/// The remainder has the sign of x1 (kFloor: of x2).
template <bool kFloor>
void run_remainder(KernelCall& call) {
    require_same_dtype(call);
    visit_dtype(call.input(0).dtype(), [&]<class T>() {
        if constexpr (kIsFloat<T>) {
            call.outputs = {
                map_binary<T>(call, call.input(0), call.input(1), float_remainder<kFloor>)};
        } else {
            call.outputs = {map_exact<T>(call.input(0), call.input(1), [&](T u, T v) {
                if (v == T{0}) call.reject("remainder by zero");
                return integer_remainder<kFloor>(u, v);
            })};
        }
    });
}

template <auto kTest>
void run_test(KernelCall& call) {
    const Tensor& x = call.input(0);
    Tensor y(DType::kBool, x.shape());
    const auto out = y.mutable_as<bool>();
    visit_float(call, x.dtype(), [&]<class T>() {
        const auto in = x.as<T>();
        for (size_t i = 0; i < in.size(); ++i)
            out[i] = kTest(to_double(in[i]));
    });
    call.outputs = {std::move(y)};
}

constexpr auto kAnd = [](bool u, bool v) { return u && v; };
constexpr auto kOr = [](bool u, bool v) { return u || v; };
constexpr auto kXor = [](bool u, bool v) { return u != v; };
constexpr auto kBitsAnd = [](auto u, auto v) { return u & v; };
constexpr auto kBitsOr = [](auto u, auto v) { return u | v; };
constexpr auto kBitsXor = [](auto u, auto v) { return u ^ v; };
constexpr auto kIsFinite = [](double x) { return std::isfinite(x); };
constexpr auto kIsNan = [](double x) { return std::isnan(x); };
constexpr auto kIsInf = [](double x) { return std::isinf(x); };

}  // namespace

std::span<const Kernel> logic_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "LogicalAnd", .formula = "x1 and x2", .dtypes = "bool", .run = run_bool<kAnd>},
        {.type = "LogicalOr", .formula = "x1 or x2", .dtypes = "bool", .run = run_bool<kOr>},
        {.type = "LogicalXor",
         .formula = "x1 or x2, not both",
         .dtypes = "bool",
         .run = run_bool<kXor>},
        {.type = "LogicalNot", .formula = "not x", .dtypes = "bool", .run = run_not},
        {.type = "BitwiseAnd",
         .formula = "x1 and x2, bit by bit",
         .dtypes = "integers",
         .run = run_bits<kBitsAnd>},
        {.type = "BitwiseOr",
         .formula = "x1 or x2, bit by bit",
         .dtypes = "integers",
         .run = run_bits<kBitsOr>},
        {.type = "BitwiseXor",
         .formula = "x1 or x2, not both, bit by bit",
         .dtypes = "integers",
         .run = run_bits<kBitsXor>},
        {.type = "Invert", .formula = "not x, bit by bit", .dtypes = "integers", .run = run_invert},
        {.type = "LeftShift", .formula = "x1 << x2", .dtypes = "integers", .run = run_shift<true>},
        {.type = "RightShift",
         .formula = "x1 >> x2",
         .dtypes = "integers",
         .run = run_shift<false>},
        {.type = "Mod",
         .formula = "x1 - x2 * trunc(x1 / x2)",
         .dtypes = "floats with one rounding; integers exact",
         .run = run_remainder<false>},
        {.type = "FloorMod",
         .formula = "x1 - x2 * floor(x1 / x2)",
         .dtypes = "floats with one rounding; integers exact",
         .run = run_remainder<true>},
        {.type = "IsNan",
         .formula = "x is nan",
         .dtypes = "floats, to bool",
         .run = run_test<kIsNan>},
        {.type = "IsInf",
         .formula = "x is infinite",
         .dtypes = "floats, to bool",
         .run = run_test<kIsInf>},
        {.type = "IsFinite",
         .formula = "x is neither nan nor infinite",
         .dtypes = "floats, to bool",
         .run = run_test<kIsFinite>},
    });
    return kRows;
}

}  // namespace npuscope::backend
