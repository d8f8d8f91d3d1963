// What a killed or failed dump left behind, when the next one of its name begins.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace npuscope::dumpfile {

struct Leftover {
    std::filesystem::path kept_as = {};  ///< empty: there was none, or nothing in it
    int64_t op_count = 0;
};

/// Renames a part file that holds committed ops to the first free one of `a_killed.h5`,
/// `a_killed_2.h5`, …; leaves any other where it is. Errors: Error(kIo) when it cannot be renamed.
[[nodiscard]] Leftover keep_leftover(const std::filesystem::path& part,
                                     const std::filesystem::path& final_path);

}  // namespace npuscope::dumpfile
