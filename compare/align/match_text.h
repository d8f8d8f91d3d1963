// How two ops were matched, in words.
#pragma once

#include <string>

namespace npuscope::compare {

/// `rule`, and the aliases where the names of the ops differ: "name, alias conv2d=convolution".
[[nodiscard]] std::string match_text(const char* rule,
                                     const std::string& target,
                                     const std::string& golden);

}  // namespace npuscope::compare
