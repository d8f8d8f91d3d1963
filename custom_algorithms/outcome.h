// What a custom algorithm says of one tensor.
#pragma once

#include <string>

namespace npuscope::custom_algorithms {

struct Outcome {
    std::string value;   ///< "NaN" where the script failed
    std::string reason;  ///< "" or the script's words, or how it failed
};

}  // namespace npuscope::custom_algorithms
