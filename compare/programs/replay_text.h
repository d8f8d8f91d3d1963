// What is said of programs that compute something else.
#pragma once

#include <string>

#include "compare/replay.h"

namespace npuscope::compare {

/// "the programs compute something else here: the target's /mm/3 is off by 0.27 of the norm from
/// what the golden's /addmm/3 makes of the same numbers". Of a replay whose first_apart is known;
/// of many ops the last.
[[nodiscard]] std::string to_text(const Replay& replay);

}  // namespace npuscope::compare
