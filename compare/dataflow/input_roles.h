// What an input of an op is for: a parameter, a buffer, something else.
#pragma once

#include <string>
#include <string_view>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Whether an op of that name takes a weight or bias in that argument, by its name or, of a
/// function's record, by its place.
[[nodiscard]] bool is_parameter(std::string_view op, std::string_view argument);

/// Whether the op of an input takes it as a parameter, or shows it otherwise (`t` of a linear
/// layer's weight) to one that does.
[[nodiscard]] bool takes_parameter(const Side& side, const TracedTensor& input);

/// Whether it is a running statistic.
[[nodiscard]] bool is_running(std::string_view op, std::string_view argument);

/// "weight", "bias", "buffer" or "input".
[[nodiscard]] std::string noun_of_input(std::string_view op, std::string_view argument);

}  // namespace npuscope::compare
