// What several ranks' tensors are together.
#pragma once

#include <cstdint>

namespace npuscope::compare {

enum class RankForm : uint8_t {
    kAlone,      ///< one tensor
    kCopy,       ///< every rank holds it
    kMaybeCopy,  ///< one rank's, which may be a copy
    kShards,     ///< every rank holds a share
    kTerms,      ///< every rank holds a term of the sum
};

}  // namespace npuscope::compare
