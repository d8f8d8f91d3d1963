// And, or, exclusive or and complement of bits, element by element.
#include <array>
#include <type_traits>

#include "npu_backend/kernels/pointwise.h"

namespace npuscope::backend {

namespace {

enum class Bits { kAnd, kOr, kXor };

/// Truth values are their one bit.
template <Bits kBits>
void run_pair(KernelCall& call) {
    require_same_dtype(call);
    const Tensor& a = call.input(0);
    const Tensor& b = call.input(1);
    visit_dtype(a.dtype(), [&]<class T>() {
        if constexpr (std::is_integral_v<T>) {
            const Shape shape = broadcast_shapes(a.shape(), b.shape());
            Tensor y(a.dtype(), shape);
            for_broadcast_rows<T>(
                a,
                b,
                shape,
                y.template mutable_as<T>().data(),
                [&](const T* x1, int64_t s1, const T* x2, int64_t s2, T* out, int64_t count) {
                    for (int64_t i = 0; i < count; ++i) {
                        const T u = x1[i * s1];
                        const T v = x2[i * s2];
                        if constexpr (kBits == Bits::kAnd) {
                            out[i] = static_cast<T>(u & v);
                        } else if constexpr (kBits == Bits::kOr) {
                            out[i] = static_cast<T>(u | v);
                        } else {
                            out[i] = static_cast<T>(u ^ v);
                        }
                    }
                });
            call.outputs = {std::move(y)};
        } else {
            call.refuse(a.dtype());
        }
    });
}

void run_invert(KernelCall& call) {
    Tensor y = call.input(0);
    visit_dtype(y.dtype(), [&]<class T>() {
        if constexpr (std::is_same_v<T, bool>) {
            for (bool& value : y.mutable_as<bool>())
                value = !value;
        } else if constexpr (std::is_integral_v<T>) {
            for (T& value : y.mutable_as<T>())
                value = static_cast<T>(~value);
        } else {
            call.refuse(y.dtype());
        }
    });
    call.outputs = {std::move(y)};
}

constexpr auto kRows = std::to_array<Kernel>({
    {"BitwiseAnd", "x1 & x2", "integers, bool", "CANN operator BitwiseAnd", run_pair<Bits::kAnd>},
    {"BitwiseOr", "x1 | x2", "integers, bool", "CANN operator BitwiseOr", run_pair<Bits::kOr>},
    {"BitwiseXor", "x1 ^ x2", "integers, bool", "CANN operator BitwiseXor", run_pair<Bits::kXor>},
    {"Invert", "~x", "integers, bool", "CANN operator Invert", run_invert},
});

}  // namespace

extern const std::span<const Kernel> k_bits_kernels;
const std::span<const Kernel> k_bits_kernels = kRows;

}  // namespace npuscope::backend
