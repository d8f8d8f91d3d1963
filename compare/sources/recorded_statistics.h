// What some recorders keep of a tensor in place of its elements, and how two of them are judged.
#pragma once

#include <optional>

#include "compare/bounds.h"
#include "compare/verdict.h"
#include "core/tensor/statistics.h"
#include "core/tensor/tensor.h"

namespace npuscope::compare {

/// A number that the recorder left out is empty: the mean and norm of integers, say, or all four of
/// a tensor without elements.
struct RecordedStatistics {
    std::optional<double> max{};
    std::optional<double> min{};
    std::optional<double> mean{};
    std::optional<double> norm{};  ///< Euclidean
};
inline constexpr int kStatistics = 4;

/// From a recorder that treats finite elements apart; nothing of a tensor without elements.
[[nodiscard]] RecordedStatistics recorded_of(const Statistics& statistics);
/// Of all elements; nothing of a tensor without elements. Not finite ones count as they are.
[[nodiscard]] RecordedStatistics recorded_of(const Tensor& tensor);

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

}  // namespace npuscope::compare
