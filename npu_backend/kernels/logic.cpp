// Truth values, bits and remainders, element by element.
#include <array>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "npu_backend/kernels/pointwise.h"

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
                if (v == T{0})
                    throw Error(ErrorKind::kUsage,
                                "kernel " + std::string(call.type) + ": remainder by zero");
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

constexpr auto kRows = std::to_array<Kernel>({
    {"LogicalAnd", "x1 and x2", "bool", "CANN operator LogicalAnd", run_bool<kAnd>},
    {"LogicalOr", "x1 or x2", "bool", "CANN operator LogicalOr", run_bool<kOr>},
    {"LogicalXor", "x1 or x2, not both", "bool", "CANN operator LogicalXor", run_bool<kXor>},
    {"LogicalNot", "not x", "bool", "CANN operator LogicalNot", run_not},
    {"BitwiseAnd",
     "x1 and x2, bit by bit",
     "integers",
     "CANN operator BitwiseAnd",
     run_bits<kBitsAnd>},
    {"BitwiseOr", "x1 or x2, bit by bit", "integers", "CANN operator BitwiseOr", run_bits<kBitsOr>},
    {"BitwiseXor",
     "x1 or x2, not both, bit by bit",
     "integers",
     "CANN operator BitwiseXor",
     run_bits<kBitsXor>},
    {"Invert", "not x, bit by bit", "integers", "CANN operator Invert", run_invert},
    {"LeftShift", "x1 << x2", "integers", "CANN operator LeftShift", run_shift<true>},
    {"RightShift", "x1 >> x2", "integers", "CANN operator RightShift", run_shift<false>},
    {"Mod",
     "x1 - x2 * trunc(x1 / x2)",
     "floats with one rounding; integers exact",
     "CANN operator Mod",
     run_remainder<false>},
    {"FloorMod",
     "x1 - x2 * floor(x1 / x2)",
     "floats with one rounding; integers exact",
     "CANN operator FloorMod",
     run_remainder<true>},
    {"IsNan", "x is nan", "floats, to bool", "CANN operator IsNan", run_test<kIsNan>},
    {"IsInf", "x is infinite", "floats, to bool", "CANN operator IsInf", run_test<kIsInf>},
    {"IsFinite",
     "x is neither nan nor infinite",
     "floats, to bool",
     "CANN operator IsFinite",
     run_test<kIsFinite>},
});

}  // namespace

extern const std::span<const Kernel> k_logic_kernels;
const std::span<const Kernel> k_logic_kernels = kRows;

}  // namespace npuscope::backend
