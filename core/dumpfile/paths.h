// Paths of objects in a dump as people type them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/h5/index.h"

namespace npuscope::dumpfile {

/// "op//7/" -> "/op/7": one leading slash, none at the end, none doubled. "/" for the root.
[[nodiscard]] std::string normalised_path(std::string_view path);

[[nodiscard]] inline bool has_wildcard(std::string_view path) {
    return path.find_first_of("*?") != std::string_view::npos;
}

/// The objects that a normalised path or glob names, numbers in number order; a name that exists as
/// it stands is no glob. Wildcards stay within their component.
[[nodiscard]] std::vector<std::string> matching_paths(const h5::Index& index,
                                                      const std::string& pattern);

/// "; the nearest are /addmm/3 and /addmm/17" for a path that does not exist, "" when nothing is
/// near.
[[nodiscard]] std::string nearest_paths(const h5::Index& index, const std::string& path);

}  // namespace npuscope::dumpfile
