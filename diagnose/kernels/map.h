// IR to TBE: which kernels the ops of a file become, and which of them go wrong.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/dumpfile/reader.h"
#include "diagnose/kernels/mapping.h"
#include "npu_backend/executor.h"

namespace npuscope::diagnose {

struct MapOptions {
    std::filesystem::path ops;  ///< .h5 with inputs
    Device device;              ///< the chip
    Device reference = Device::reference64();
    std::filesystem::path acl;           ///< acl.json; empty: inputs and outputs of every kernel
    std::filesystem::path output;        ///< folder for mapping.json and, without acl, kernels/
    std::filesystem::path from = {};     ///< folder of a device's kernel dumps: those are judged
    std::vector<std::string> only = {};  ///< paths /name/seqid; empty: every op
    bool progress = false;
    /// Called once with the executor, before the first op: hooks.
    std::function<void(Executor&)> prepare = {};
    std::function<void()> between_steps = {};  ///< between two ops; what it throws ends the flow
};

/// `only` as in MapOptions.
[[nodiscard]] bool is_selected(const dumpfile::OpEntry& op, const std::vector<std::string>& only);

/// With `from`: the kernels are those of the device's dumps, aligned with the ops by time, content
/// and name; the chip's emulation only tells the attributes that a dump does not hold.
/// Else: runs each op from its recorded inputs, writes its kernels' dumps, and finds for each op
/// the first kernel that leaves the reference. Without acl and output nothing is written. Errors:
/// Error of every kind, as the parts throw it; an op that cannot run is skipped and says why.
[[nodiscard]] Mapping map_ops(const MapOptions& options);

}  // namespace npuscope::diagnose
