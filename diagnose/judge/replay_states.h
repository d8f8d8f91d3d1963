// What a program leaves behind of the states it updates, when the golden's runs again.
#pragma once

#include <cstddef>
#include <vector>

#include "diagnose/judge/replay_ends.h"

namespace npuscope::diagnose {

/// Results that do not agree and that a result without partner is made of, through others without:
/// what a program ends in that the other leaves out (a division by 1) is as far off as these.
[[nodiscard]] std::vector<size_t> apart_before(const compare::Side& golden,
                                               const ReplayedResults& results,
                                               size_t result);

/// States that ops take in once more after their last update (the mean of squares, whose root an
/// optimizer divides by, or parameters that are averaged), and that are apart: what is made of them
/// may be as it should all the same, or near it. Of a parameter that is near whatever its last step
/// was, what is apart in that step.
[[nodiscard]] std::vector<size_t> used_states_apart(const compare::Side& golden,
                                                    const ReplayedResults& results);

}  // namespace npuscope::diagnose
