// Kernels that write one number everywhere.
#include <array>

#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend {

namespace {

void fill(KernelCall& call, double number) {
    const Tensor value = Tensor::scalar<double>(number).cast(call.input(0).dtype());
    Tensor y(call.input(0).dtype(), call.input(0).shape());
    visit_dtype(y.dtype(), [&]<class T>() {
        const T element = value.as<T>()[0];
        for (T& each : y.template mutable_as<T>())
            each = element;
    });
    call.outputs = {std::move(y)};
}

void run_zeros(KernelCall& call) {
    fill(call, 0);
}

void run_ones(KernelCall& call) {
    fill(call, 1);
}

void run_fill(KernelCall& call) {
    fill(call, call.number("value"));
}

}  // namespace

std::span<const Kernel> fill_kernels() {
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "ZerosLike",
         .unit = Unit::kMove,
         .formula = "0",
         .dtypes = "any",
         .run = run_zeros},
        {.type = "OnesLike", .unit = Unit::kMove, .formula = "1", .dtypes = "any", .run = run_ones},
        {.type = "Fill",
         .unit = Unit::kMove,
         .formula = "value, rounded to the dtype",
         .dtypes = "any",
         .run = run_fill},
    });
    return kRows;
}

}  // namespace npuscope::backend
