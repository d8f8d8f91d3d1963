// The undamaged files that damaged_commands begins with.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace npuscope::damage {

/// One file, and those that it needs beside it.
struct Seed {
    std::string kind;
    std::string name;  ///< below its folder; what to damage
    std::string bytes;
    std::vector<std::pair<std::string, std::string>> beside;  ///< names and bytes
    bool is_folder = false;  ///< commands are given the folder, not the file
};

/// h5, h5py (what only the HDF5 library reads), arrays, trees (of msprobe), onnx, binary (CANN's
/// dump files), logs (of training), texts (other tools' recordings), settings (a comparison's).
[[nodiscard]] const std::vector<std::string>& seed_kinds();

/// Empty where the kind is none, or the Python that writes its files fails.
[[nodiscard]] std::vector<Seed> seeds_of(const std::string& kind);

}  // namespace npuscope::damage
