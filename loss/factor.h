// Numbers that are a whole multiple of others: a sum where the other takes the mean, a loss scale.
#pragma once

#include <optional>
#include <string>

namespace npuscope::loss {

/// "32 times the golden's", "1/8 of the golden's"; empty where neither is a whole multiple
/// of the other, or where the digits printed are too few to tell. `unit`: what the last printed
/// digit is worth.
[[nodiscard]] std::optional<std::string> factor_words(double target, double golden, double unit);

}  // namespace npuscope::loss
