// Numbers and words as people read them in reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace npuscope::diagnose {

/// 0.00031 -> "0.031 %", 0 -> "0", absent -> "-", infinity -> "inf".
[[nodiscard]] std::string percent_text(std::optional<double> value);
/// An error over what is allowed: "0.34", "68", absent -> "-", infinity -> "inf".
[[nodiscard]] std::string limit_text(std::optional<double> ratio);
/// Three significant digits: "3.1e-04" below 1e-3 and above 1e5, else "0.0123".
[[nodiscard]] std::string short_text(double value);
/// "undecided" -> "UNDECIDED"; ASCII.
[[nodiscard]] std::string in_capitals(std::string_view word);

}  // namespace npuscope::diagnose
