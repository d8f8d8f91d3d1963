// Overloads of an op, and which of them a run is of where its recorder did not say.
#pragma once

#include <span>
#include <string_view>

#include "core/recording/source.h"
#include "npu_backend/ops/op.h"

namespace npuscope::diagnose {

/// All overloads of an op, by the name before the '.' of its schema.
[[nodiscard]] std::span<const backend::Op* const> overloads_of(std::string_view base_name);

/// Whether the op knows every recorded argument and has all that it needs. Errors: as
/// SourceOp::load.
[[nodiscard]] bool may_be(const backend::Op& op, const SourceOp& recorded);

/// The first overload of "mul" that knows every recorded argument and has all that it needs:
/// mul_Tensor of tensors `self` and `other`. nullptr where none does. Errors: as SourceOp::load.
[[nodiscard]] const backend::Op* overload_of(const SourceOp& recorded);

}  // namespace npuscope::diagnose
