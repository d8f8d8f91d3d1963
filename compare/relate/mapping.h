// Files that say which tensors belong together: our own, and those of msprobe.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "compare/relate/tie.h"

namespace npuscope::compare {

/// As docs/alignment.md tells. Views are written so that they can be read again.
[[nodiscard]] std::string mapping_text(const std::vector<TensorTie>& ties);

/// The same of pairs of paths alone.
[[nodiscard]] std::string mapping_text(
    const std::vector<std::pair<std::string, std::string>>& paths);

/// What a file of mapping_text() says of these sources. Tensors that they do not have are counted
/// in `unknown`. Errors: Error(kFormat) where it is no such file, or a view does not fit its
/// tensor.
[[nodiscard]] std::vector<TensorTie> ties_written(const std::string& text,
                                                  const std::string& name,
                                                  const Source& target,
                                                  const Source& golden,
                                                  int64_t& unknown);

}  // namespace npuscope::compare
