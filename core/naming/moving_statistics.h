// Ops that move the statistics they are given.
#pragma once

#include <string_view>

namespace npuscope {

/// Whether an op of that name, in training, writes over the running statistics that it takes in,
/// which no recorder keeps. Table: core/naming/moving_statistics.def.
[[nodiscard]] bool moves_statistics(std::string_view op);

}  // namespace npuscope
