// Ops that draw numbers at random.
#pragma once

#include <string_view>
#include <vector>

#include "core/recording/source.h"

namespace npuscope::compare {

/// By its name, whether or not anybody knows the op.
[[nodiscard]] bool may_be_random(std::string_view name);
/// By its name, or by a share of elements that it was told to drop.
[[nodiscard]] bool may_be_random(const SourceOp& op);
/// Whether any of the ops is.
[[nodiscard]] bool may_be_random(const std::vector<const SourceOp*>& ops);

}  // namespace npuscope::compare
