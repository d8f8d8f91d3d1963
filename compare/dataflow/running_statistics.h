// What batch norms in training leave in their running statistics, which no recorder keeps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "compare/dataflow/paired_flows.h"

namespace npuscope::compare {

/// Of a pair of batch norms whose target leaves other statistics than its own numbers make.
struct StatisticsFinding {
    size_t pair = 0;  ///< index into Plan::ops
    /// "running_mean that /native_batch_norm/6 leaves is not what its momentum of 0.1 and its
    /// batch's mean make of the one before: it was moved 1.9 times as far"
    std::string text;
};

/// A batch norm in training moves running_mean by momentum (mean of the batch - running_mean), and
/// running_var likewise. What it left shows where a later one takes it in: told where the golden's
/// shows just that, and the target's does not, by more than 0.02 % of the move (5 % of 16-bit
/// numbers). Single ops, the first of each statistic. Of recordings with inputs. Complexity: the
/// statistics' elements. Errors: as the sources' when a file cannot be read.
[[nodiscard]] std::vector<StatisticsFinding> wrong_running_statistics(const PairedFlows& flows);

/// Of a running statistic that a batch norm in training takes in, and is `distance` off: whether
/// both sides may still have begun with the same one. Then one side's has been moved toward the
/// mean or variance of its batch, as recorders that read it behind the op show it, or is as far off
/// as what was computed before. True where too little is recorded to tell. Errors: as above.
[[nodiscard]] bool may_be_other_statistic(const PairedFlows& flows,
                                          const InputPair& statistic,
                                          double distance);

/// The golden's first op that may move statistics: a batch norm in training, or of which nobody
/// knows. Past its last where there is none.
[[nodiscard]] size_t first_moving_norm(const PairedFlows& flows);

}  // namespace npuscope::compare
