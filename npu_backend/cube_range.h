// What the order of additions inside the Cube can change in a result.
#pragma once

#include <cstdint>
#include <string>

#include "npu_backend/kernels/kernel.h"

namespace npuscope {

/// What the order of the sum inside the Cube can change in one kernel's result. Elements that
/// differ between the models are sensitive to that order, and no defect.
struct CubeRange {
    std::string kernel;
    std::string op_name;
    int64_t seqid = 0;
    int64_t numel = 0;
    int64_t sensitive = 0;      ///< elements whose bits differ between the three models
    double largest_spread = 0;  ///< largest minus smallest value of an element
    double largest_value = 0;   ///< largest magnitude of the result
};

/// Runs the kernel again by two models of other families than the one that `call` used.
[[nodiscard]] CubeRange cube_range(const backend::Kernel& kernel,
                                   const backend::KernelCall& call,
                                   std::string op_name,
                                   int64_t seqid);

}  // namespace npuscope
