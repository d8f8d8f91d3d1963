// `npuscope inspect` on recordings that are no dumps of ours: msprobe's, files of arrays.
#pragma once

#include <string>

#include "cli/command.h"

namespace npuscope::cli {

/// Folders and files that open_source() reads, but for .h5, .npy and binary dumps of CANN.
[[nodiscard]] bool is_other_recording(const std::string& path);

/// The runs of a tree; of one run its ops; of an op, by its name, its tensors and arguments; of a
/// tensor, by its path, a histogram or what was recorded of it. Returns the exit code. Errors:
/// Error(kUsage) an unknown name, or a name in a tree of several runs; those of open_source().
int inspect_source(const std::string& path, const std::string& wanted, const Globals& globals);

}  // namespace npuscope::cli
