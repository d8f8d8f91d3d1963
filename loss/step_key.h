// Which keys of a log number its steps.
#pragma once

#include <string_view>

namespace npuscope::loss {

/// How well a key ("iteration", "global_step", "Step") says that its number is the step: 0 the
/// best, -1 not at all. Epochs are none.
[[nodiscard]] int fit_of_step(std::string_view key);

}  // namespace npuscope::loss
