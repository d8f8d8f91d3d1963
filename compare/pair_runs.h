// Which runs of two trees belong together: steps by steps, ranks by ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/recording/tree.h"

namespace npuscope::compare {

/// Empty on the side that lacks it.
struct RunPair {
    std::optional<RecordedRun> target{};
    std::optional<RecordedRun> golden{};

    /// "step 0, rank1"; where the sides have other names "step 1, proc7 against step 0, proc9".
    [[nodiscard]] std::string text() const;
};

/// Steps of equal number; a lone step on both sides, and as many steps that have no number in
/// common, in their order. Within a step ranks of equal name; a lone rank on both sides, and as
/// many processes, whose numbers are chance, in their order. In the target's order, the golden's
/// alone at the end. Errors: Error(kUsage) where one side is a single file and the other has
/// several runs.
[[nodiscard]] std::vector<RunPair> pair_runs(const std::vector<RecordedRun>& target,
                                             const std::vector<RecordedRun>& golden);

}  // namespace npuscope::compare
