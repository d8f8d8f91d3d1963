// Arrays in files of their own: .npy, and text as numpy.loadtxt reads it.
#pragma once

#include <filesystem>

#include "core/tensor/real_array.h"

namespace npuscope::msaccucmp {

/// Text when the name ends in .txt, a NumPy file else. Errors: CompareFailure(kInvalidDumpData).
[[nodiscard]] RealArray read_array_file(const std::filesystem::path& path);

}  // namespace npuscope::msaccucmp
