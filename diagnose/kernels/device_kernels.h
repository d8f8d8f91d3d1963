// A device's kernel dumps as the kernels of one op, each judged.
#pragma once

#include <span>
#include <vector>

#include "diagnose/kernels/kernel_trace.h"
#include "diagnose/kernels/mapping.h"
#include "ir_tbe_map/device_dumps.h"

namespace npuscope::diagnose {

/// What the op is, for its kernels.
struct OpOfDevice {
    std::vector<std::pair<std::string, ir_tbe_map::ContentKey>> inputs;   ///< by name
    std::vector<std::pair<std::string, ir_tbe_map::ContentKey>> outputs;  ///< by name
    /// The op on the emulated chip; kernels of one type, in order, lend attributes and shapes.
    std::span<const TracedKernel> emulated;
    ComputeType compute_type = ComputeType::kNone;
    Device reference;
    std::filesystem::path folder;  ///< of the dumps
};

/// Fills `op.kernels` and `op.first_culprit`. A kernel dumped without inputs, with elements that
/// cannot be read, or with attributes that nobody knows, is unjudged and says so.
void map_device_kernels(std::span<const ir_tbe_map::DeviceKernel> kernels,
                        const OpOfDevice& what,
                        MappedOp& op);

}  // namespace npuscope::diagnose
