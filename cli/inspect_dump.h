// `npuscope inspect` of CANN's binary dumps and of .npy files.
#pragma once

#include <string>

#include "cli/command.h"

namespace npuscope::cli {

/// True for a file named .npy, and for one that is neither named .h5 nor begins as HDF5 files do.
[[nodiscard]] bool is_array_or_binary_dump(const std::string& path);

/// The tensors with their statistics, or with `tensor` ("input/0") one tensor's histogram.
/// Errors: Error(kUsage) there is no such tensor; what the readers throw.
int inspect_dump(const std::string& path, const std::string& tensor, const Globals& globals);

}  // namespace npuscope::cli
