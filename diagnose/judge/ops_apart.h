// Ops whose kernels compute in fewer bits than the others of their group.
#pragma once

#include <map>
#include <string>

#include "diagnose/judge/class_inference.h"

namespace npuscope::diagnose {

/// Libraries write each kernel by itself: of bfloat16 results most come from float32 steps, and
/// those of one op from steps in bfloat16. A chip that lacks a vector op in float32 computes it in
/// float16, and gives out numbers of that as float32.
struct OpsApart {
    InferredArithmetic others;                        ///< of the group without them
    std::map<std::string, InferredArithmetic> ops{};  ///< by name_of_forms()
};

/// Whether the class of an op that is apart is that of a run of it: of results in float32 only
/// where nearly all their numbers are of its format (the optimizer's products may be computed in
/// float32, beside the forward pass's).
[[nodiscard]] bool is_apart(const OpRun& run, const InferredArithmetic& of_op);

/// Of groups of 16-bit results that are no products, whose class is classes[group]. All sampled
/// runs of such an op and its gradient that would show it, two at least (or one where several ops
/// are such, or one and a group of other results), are off in many elements from what the others
/// keep to (fp32 where that explains the others), and none by more than steps in the format of the
/// results. Of float32 results, three ops at least of which all sampled runs that are off hold
/// numbers of a 16-bit format, and are off by no more than steps in that; fewer where 16-bit
/// results are before and behind and no other float32 ones are there. Holds runs to that class
/// where their sample does not yet. Threads: one at a time.
[[nodiscard]] OpsApart ops_apart(ArithmeticSamples& samples,
                                 const ArithmeticGroup& group,
                                 const std::map<ArithmeticGroup, InferredArithmetic>& classes);

}  // namespace npuscope::diagnose
