// Which of a device's kernels belong to an op: by time, and by what they read and write.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"
#include "ir_tbe_map/device_dumps.h"

namespace npuscope::diagnose {

/// An op's recorded tensors.
struct OpContents {
    std::string name;  ///< {IR name}_{seqid}, as in the names of dumps that this program wrote
    std::vector<ir_tbe_map::ContentKey> inputs;
    std::vector<ir_tbe_map::ContentKey> outputs;
    std::vector<Tensor> output_values;  ///< as outputs
};

struct KernelAlignment {
    std::vector<size_t> kernels;  ///< indexes into the device's kernels, in launch order
    size_t outputs_found = 0;
    size_t next = 0;  ///< where the next op's kernels may begin
    std::string how;  ///< one sentence
};

/// Kernels that are named after the op belong to it. Else, the first kernel from `from` on that
/// reads one of the op's inputs (equal values, also rounded to float16, in any format) begins it; a
/// later one belongs to it when it reads what the op or one of its kernels has; it ends with the
/// kernel that gives the last of its recorded outputs, equal or within float16's tolerance. Kernels
/// dumped without inputs belong to the op whose output comes next. Contents that are one number
/// repeated prove nothing. Nothing found: no kernels, and `how` says so.
[[nodiscard]] KernelAlignment align_kernels(std::span<const ir_tbe_map::DeviceKernel> kernels,
                                            size_t from,
                                            const OpContents& op);

}  // namespace npuscope::diagnose
