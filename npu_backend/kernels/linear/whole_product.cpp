// Products that the Cube does not compute: of integers, and of two vectors.
#include <array>

#include "core/base/error.h"
#include "core/parallel/parallel_for.h"
#include "core/tensor/op_budget.h"
#include "npu_backend/kernels/pointwise/formula.h"

namespace npuscope::backend {

namespace {

/// [batch, m, k] and [batch, k, n] of one integer dtype; sums wrap in 64 bits.
void run_whole_product(KernelCall& call) {
    const Tensor& a = call.input(0);
    const Tensor& b = call.input(1);
    if (is_float(a.dtype()) || a.dtype() == DType::kBool) call.refuse(a.dtype());
    if (b.dtype() != a.dtype()) call.refuse(b.dtype());
    if (a.ndim() != 3 || b.ndim() != 3 || a.dim(0) != b.dim(0) || a.dim(2) != b.dim(1))
        call.reject("" + to_string(a.shape()) + " and " + to_string(b.shape()) + " do not fit");
    const int64_t m = a.dim(1);
    const int64_t k = a.dim(2);
    const int64_t n = b.dim(2);
    OpBudget::take_steps({a.dim(0), m, n, k});
    Tensor y(a.dtype(), {a.dim(0), m, n});
    visit_dtype(a.dtype(), [&]<class T>() {
        if constexpr (std::is_integral_v<T>) {
            const T* left = a.as<T>().data();
            const T* right = b.as<T>().data();
            const auto out = y.template mutable_as<T>();
            parallel_for(a.dim(0) * m, call.numerics.threads, [&](int64_t row) {
                std::vector<uint64_t> sums(static_cast<size_t>(n), 0);
                const T* column = right + row / m * k * n;
                for (int64_t i = 0; i < k; ++i)
                    for (int64_t j = 0; j < n; ++j)
                        sums[static_cast<size_t>(j)] += static_cast<uint64_t>(left[row * k + i]) *
                                                        static_cast<uint64_t>(column[i * n + j]);
                for (int64_t j = 0; j < n; ++j)
                    out[static_cast<size_t>(row * n + j)] =
                        static_cast<T>(sums[static_cast<size_t>(j)]);
            });
        } else {
            call.refuse(a.dtype());
        }
    });
    call.outputs = {std::move(y)};
}

void run_dot(KernelCall& call) {
    if (call.input(0).ndim() != 1 || call.input(0).shape() != call.input(1).shape())
        throw Error(ErrorKind::kUsage,
                    "kernel Dot: " + to_string(call.input(0).shape()) + " and " +
                        to_string(call.input(1).shape()) + " are no vectors of one length");
    visit_float(call, call.input(0).dtype(), [&]<class T>() {
        using W = Wide<T>;
        std::vector<W> products = wide_formula<T, 2>(call, [](auto x, auto y) { return x * y; });
        const W sum = repeat_sum(std::span<W>(products), call.numerics.device.options.reduce_order);
        Rounder<T> round(call.numerics.overflow_mode());
        Tensor y(kDTypeOf<T>, {});
        y.template mutable_as<T>()[0] =
            round(static_cast<double>(sum), always(!call.status.input_non_finite()));
        call.status.merge(round.status());
        call.outputs = {std::move(y)};
    });
}

}  // namespace

std::span<const Kernel> whole_product_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "IntegerMatMul",
         .formula = "y[b,m,n] = sum over k of x1[b,m,k] x2[b,k,n]",
         .dtypes = "integers, exact until 64 bits wrap",
         .source = "ours; the Cube takes no wide integers",
         .run = run_whole_product},
        {.type = "Dot",
         .formula = "sum of x1 x2, neighbours in pairs",
         .dtypes = kThroughFloat32,
         .source = "; order as ReduceSum",
         .run = run_dot},
    });
    return kRows;
}

}  // namespace npuscope::backend
