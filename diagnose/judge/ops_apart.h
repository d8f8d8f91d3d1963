// Ops whose kernels compute in fewer bits than the others of their group.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "diagnose/judge/class_inference.h"

namespace npuscope::diagnose {

/// Libraries write each kernel by itself: of bfloat16 results most come from float32 steps, and
/// those of one op from steps in bfloat16. A chip that lacks a vector op in float32 computes it in
/// float16, and gives out numbers of that as float32.
struct OpsApart {
    InferredArithmetic others;                        ///< of the group without them
    std::map<std::string, InferredArithmetic> ops{};  ///< by name_of_forms()
    std::set<std::string> without_gradients{};        ///< of ops: those whose gradients are others
    /// Of any op that is_apart(), where nearly all float32 results that are off are rounded.
    std::optional<InferredArithmetic> any{};
    /// Of a run of the group; nullptr where that is of the others.
    [[nodiscard]] const InferredArithmetic* class_of(const OpRun& run) const;
    /// Of an op by its name_of_forms(), or its gradient.
    [[nodiscard]] bool has(const std::string& name, bool is_gradient) const;
};

/// Of groups of 16-bit results that are no products, whose class is classes[group]. All sampled
/// runs of such an op and its gradient that would show it, two at least (or one where several ops
/// are such, or one and a group of other results), are off in many elements from what the others
/// keep to (fp32 where that explains the others), and none by more than steps in the format of the
/// results; of an op without its gradient one run, off in any, suffices where it
/// is_made_in_written_steps(). Of float32 results,
/// three ops at least of which all sampled runs that are off hold numbers of a 16-bit format, and
/// are off by no more than steps in that; fewer where 16-bit results are before and behind and no
/// other float32 ones are there. Holds runs to that class where their sample does not yet.
/// Threads: one at a time. Errors: as the sources when elements cannot be read.
[[nodiscard]] OpsApart ops_apart(ArithmeticSamples& samples,
                                 const ArithmeticGroup& group,
                                 const std::map<ArithmeticGroup, InferredArithmetic>& classes);

}  // namespace npuscope::diagnose
