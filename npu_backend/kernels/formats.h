// In which memory format a kernel holds each of its tensors.
#pragma once

#include <vector>

#include "core/event/observer.h"
#include "npu_backend/kernels/kernel.h"

namespace npuscope::backend {

struct KernelFormats {
    std::vector<TensorFormat> inputs;
    std::vector<TensorFormat> outputs;  ///< empty before the kernel ran
};

/// NCHW for tensors of rank 4, NCDHW for rank 5, else ND.
[[nodiscard]] std::string_view base_format(int64_t ndim);

/// As the kernel's row says, for images and volumes on a chip; base formats else. Source: format
/// rules of the PyTorch adapter for CANN (formats of operator outputs), compiler-inserted
/// TransData.
[[nodiscard]] KernelFormats formats_of(const Kernel& kernel, const KernelCall& call);

}  // namespace npuscope::backend
