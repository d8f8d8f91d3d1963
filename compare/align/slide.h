// Runs of ops without partner, moved among layers that look alike.
#pragma once

#include <cstdint>
#include <vector>

#include "compare/align/evidence.h"
#include "compare/align/steps.h"

namespace npuscope::compare {

/// Of three equal layers against two, shapes do not tell which is the one more. Moves each such run
/// to where places and elements of the pairs beside it agree best; it stays where they say nothing.
/// `partners` as of align_sequences(), of the target's steps. Complexity: linear in how far a run
/// can be moved.
void slide_runs(std::vector<int32_t>& partners,
                const std::vector<Step>& target,
                const std::vector<Step>& golden,
                ElementEvidence& evidence);

}  // namespace npuscope::compare
