// The kernels of a check's culprits, each judged alone.
#pragma once

#include <functional>

#include "diagnose/check/check_report.h"
#include "npu_backend/chips/device.h"

namespace npuscope::diagnose {

struct CulpritKernelOptions {
    Device device;
    Device reference;
    std::filesystem::path output = {};  ///< folder for the first culprit's dumps; empty: none
    std::function<void()> between_steps = {};
};

/// Runs the first ten culprits again, from the golden's inputs or, where an op went wrong in the
/// free run only, from that run's, and fills `kernel_rows` and `first_kernel` of their findings. An
/// op without recorded inputs is left as it is.
void trace_culprits(const CulpritKernelOptions& options, CheckReport& report);

}  // namespace npuscope::diagnose
