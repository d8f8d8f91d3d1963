// What some recorders keep of a tensor in place of its elements.
#pragma once

#include <optional>

#include "core/tensor/statistics.h"
#include "core/tensor/tensor.h"

namespace npuscope {

/// A number that the recorder left out is empty: the mean and norm of integers, say, or all four of
/// a tensor without elements.
struct RecordedStatistics {
    std::optional<double> max{};
    std::optional<double> min{};
    std::optional<double> mean{};
    std::optional<double> norm{};  ///< Euclidean
    std::optional<double> l1{};    ///< sum of magnitudes; kept by recorders that keep no other
};
inline constexpr int kStatistics = 4;

/// From a recorder that treats finite elements apart; nothing of a tensor without elements.
[[nodiscard]] RecordedStatistics recorded_of(const Statistics& statistics);
/// Of all elements; nothing of a tensor without elements. Not finite ones count as they are.
[[nodiscard]] RecordedStatistics recorded_of(const Tensor& tensor);

}  // namespace npuscope
