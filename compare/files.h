// Compares files by their kind: dumps (.h5) and arrays (.npz, .npy).
#pragma once

#include <filesystem>

#include "compare/compare.h"
#include "core/npz/npy.h"

namespace npuscope::compare {

/// Both .h5, or each .npz or .npy. Errors: Error(kUsage) for other kinds or a mixture, and those of
/// the readers.
[[nodiscard]] Result compare_files(const std::filesystem::path& target,
                                   const std::filesystem::path& golden,
                                   const Bounds& bounds = PrecisionBounds{},
                                   const Options& options = {});

/// Arrays of equal names; each is an "op" of one output. Two single arrays are compared whatever
/// their names are.
[[nodiscard]] Result compare_arrays(const NamedTensors& target,
                                    const NamedTensors& golden,
                                    const Bounds& bounds = PrecisionBounds{},
                                    const Options& options = {});

}  // namespace npuscope::compare
