// The error along the network in one line of a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace npuscope::compare {

/// One letter a column, the worst of the values that fall into it: from ▁ for a thousandth of what
/// is allowed or less to █ for thirty times it or more, by powers of ten; beyond what is allowed
/// (above 1, or no number) in red where `color`; a blank where nothing is known.
[[nodiscard]] std::string sparkline(const std::vector<std::optional<double>>& ratios,
                                    size_t columns,
                                    bool color);

}  // namespace npuscope::compare
