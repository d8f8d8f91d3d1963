// How the statistics that two recorders kept of a tensor are judged.
#pragma once

#include "compare/bounds.h"
#include "compare/verdict.h"
#include "core/recording/recorded_statistics.h"

namespace npuscope::compare {

struct StatisticsJudgement {
    Judgement judgement;
    int missing = 0;  ///< of the four: not recorded on both sides
    /// The largest difference of a number over its scale, as it is held against the tolerance;
    /// infinity where one side alone is NaN or infinite.
    double deviation = 0;
    double scale = 0;  ///< the golden's largest magnitude
};

/// Each number that both sides have against the bound; max, min and mean relative to the largest
/// magnitude. What a side lacks is no difference; where nothing is left the verdict is undefined.
[[nodiscard]] StatisticsJudgement judge_statistics(const RecordedStatistics& target,
                                                   const RecordedStatistics& golden,
                                                   const Bound& bound);

/// The first number that one side has and the other has otherwise, to the bit: "mean 0.5, golden
/// 0.6"; "" where there is none. NaN equals NaN.
[[nodiscard]] std::string first_change(const RecordedStatistics& target,
                                       const RecordedStatistics& golden);

}  // namespace npuscope::compare
