// Compares files and folders by their kind: dumps, arrays, folders of dump files.
#pragma once

#include <filesystem>

#include "compare/compare.h"
#include "core/npz/npy.h"

namespace npuscope::compare {

/// Two .h5 dumps, two files of arrays (.npz, .npy, .pt, .safetensors), or any two sources that
/// open_source() takes. Errors: Error(kUsage) for other kinds, and those of the readers.
[[nodiscard]] Result compare_files(const std::filesystem::path& target,
                                   const std::filesystem::path& golden,
                                   const Bounds& bounds = PrecisionBounds{},
                                   const Options& options = {});

/// Arrays of equal names; each is an "op" of one output. Two single arrays are compared whatever
/// their names are. `compute_types` are the target's.
[[nodiscard]] Result compare_arrays(const NamedTensors& target,
                                    const NamedTensors& golden,
                                    const Bounds& bounds = PrecisionBounds{},
                                    const Options& options = {},
                                    const ComputeTypes& compute_types = {});

}  // namespace npuscope::compare
