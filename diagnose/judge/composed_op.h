// Ops that no framework names, and fused ones: short programs over ops, such as the gradient of a
// divisor. They run wherever an op does, on references and on chips, each of whose steps rounds as
// it does.
#pragma once

#include <span>
#include <string_view>

#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

/// By diagnose/judge/composed_ops.def.
[[nodiscard]] std::span<const backend::Op> composed_ops();
/// nullptr where there is none.
[[nodiscard]] const backend::Op* find_composed_op(std::string_view name);
/// What a row says that it computes, for people; "" of one that no text tells.
[[nodiscard]] std::string_view program_of(const backend::Op& op);

// Programs that are functions.
#define COMPOSED(schema, program, sum)
#define COMPOSED_BY(schema, launch, function) void function(backend::Lowering& op);
#include "diagnose/judge/composed_ops.def"
#undef COMPOSED
#undef COMPOSED_BY

}  // namespace npuscope::diagnose
