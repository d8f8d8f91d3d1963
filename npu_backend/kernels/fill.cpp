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

constexpr auto kRows = std::to_array<Kernel>({
    {"ZerosLike", "0", "any", "CANN operator ZerosLike", run_zeros},
    {"OnesLike", "1", "any", "CANN operator OnesLike", run_ones},
    {"Fill", "value, rounded to the dtype", "any", "CANN operator Fill", run_fill},
});

}  // namespace

extern const std::span<const Kernel> k_fill_kernels;
const std::span<const Kernel> k_fill_kernels = kRows;

}  // namespace npuscope::backend
