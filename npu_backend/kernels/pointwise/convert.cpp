// Kernels that change how values are stored: dtype, format, place.
#include <array>

#include "npu_backend/kernels/kernel.h"
#include "npu_backend/numerics/cast.h"

namespace npuscope::backend {

namespace {

void run_cast(KernelCall& call) {
    call.outputs = {
        cast_tensor(call.input(0), *call.dtype("dst_type"), call.numerics, call.status)};
}

/// Values stay in plain layout; the formats are named in the attributes.
void run_same_values(KernelCall& call) {
    call.outputs = {call.input(0)};
}

}  // namespace

std::span<const Kernel> convert_kernels() {
    using enum Held;
    static constexpr auto kRows = std::to_array<Kernel>({
        {.type = "Cast",
         .exact = true,
         .conversion = true,
         .formula = "y = round(x)",
         .dtypes = "any to any; floats round to nearest even (half saturates in saturation mode), "
                   "floats to integers truncate and clamp, to 8-bit integers wrap",
         .source = "; asc-devkit Cast boundary table",
         .run = run_cast},
        {.type = "TransData",
         .unit = Unit::kMove,
         .conversion = true,
         .formats = {{kNamed}, {kNamed}},
         .formula = "y = x in the format dst_format",
         .dtypes = "any",
         .source = "; values are kept in plain layout",
         .run = run_same_values},
        {.type = "Identity",
         .unit = Unit::kMove,
         .conversion = true,
         .formula = "y = x",
         .dtypes = "any",
         .run = run_same_values},
    });
    return kRows;
}

}  // namespace npuscope::backend
