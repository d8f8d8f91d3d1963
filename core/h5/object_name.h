// How messages name an object of a file. Included by core/h5/*.cpp only.
#pragma once

#include <filesystem>
#include <string>

#include "core/base/printable.h"

namespace npuscope::h5 {

/// "'/op/1' in 'file.h5'"
inline std::string object_name(const std::string& object, const std::filesystem::path& path) {
    return in_quotes(object) + " in " + in_quotes(path);
}

}  // namespace npuscope::h5
