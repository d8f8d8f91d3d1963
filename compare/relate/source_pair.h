// What two sides hold beyond what is listed of them.
#pragma once

#include "compare/relate/kinship.h"

namespace npuscope::compare {

/// The elements of both sides, which are read where sketches say that two tensors may be related.
struct SourcePair {
    const Source& target;
    const Source& golden;
    Kin kin{target, golden};
};

}  // namespace npuscope::compare
