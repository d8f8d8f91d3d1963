// Ops whose kernels compute in fewer bits than the others of their group.
#pragma once

#include <map>
#include <string>

#include "diagnose/judge/class_inference.h"

namespace npuscope::diagnose {

/// Libraries write each kernel by itself: of bfloat16 results most come from float32 steps, and
/// those of one op from steps in bfloat16.
struct OpsApart {
    InferredArithmetic others;                        ///< of the group without them
    std::map<std::string, InferredArithmetic> ops{};  ///< by name_of_forms()
};

/// Of groups of 16-bit results that are no products, whose class is classes[group]. All sampled
/// runs of such an op and its gradient that would show it, two at least (or one where several ops
/// are such, or one and a group of other results), are off in many elements from what the others
/// keep to (fp32 where that explains the others), and none by more than steps in the format of the
/// results. Holds runs to that class where `sample` does not yet. Threads: one at a time.
[[nodiscard]] OpsApart ops_apart(ArithmeticSample& sample,
                                 const ArithmeticGroup& group,
                                 const std::map<ArithmeticGroup, InferredArithmetic>& classes);

}  // namespace npuscope::diagnose
