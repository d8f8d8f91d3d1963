// What two logs tell beside the loss, and where it differs first.
#pragma once

#include <vector>

#include "loss/verdict.h"

namespace npuscope::loss {

/// One for each quantity that both logs have and that differs by more than its own rounding: the
/// gradient's norm by a twentieth, what the program sets itself (learning rate, loss scale,
/// samples) by a thousandth. Infinite and NaN on one side count.
[[nodiscard]] std::vector<SideDifference> side_differences(const Log& golden, const Log& target);

/// "the grad norm differs at step 5: 26.66, golden 3.333; it is 8 times the golden's"
[[nodiscard]] std::string to_text(const SideDifference& side);

}  // namespace npuscope::loss
