// The files of a test's folder.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/support.h"

namespace npuscope::test {

/// Sorted.
inline std::vector<std::string> names_in(const TempDir& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace npuscope::test
