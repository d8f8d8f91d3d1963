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

constexpr auto kRows = std::to_array<Kernel>({
    {"Cast",
     "y = round(x)",
     "any to any; floats round to nearest even (half saturates in saturation mode), floats to "
     "integers truncate and clamp, to 8-bit integers wrap",
     "CANN operator Cast; asc-devkit Cast boundary table",
     run_cast},
    {"TransData",
     "y = x in the format dst_format",
     "any",
     "CANN operator TransData; values are kept in plain layout",
     run_same_values},
    {"Identity", "y = x", "any", "CANN operator Identity", run_same_values},
});

}  // namespace

extern const std::span<const Kernel> k_convert_kernels;
const std::span<const Kernel> k_convert_kernels = kRows;

}  // namespace npuscope::backend
