// Sampled runs of an op that may be computed in fewer bits than the others of its group.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "diagnose/judge/class_inference.h"

namespace npuscope::diagnose {

/// Narrow steps show in many numbers, of more than this share of a run's: a fault may be in few.
inline constexpr double kSpreadOfSteps = 0.05;
/// One run may be faulty.
inline constexpr size_t kFewestApart = 2;
/// Fewer others do not tell that they compute in more bits.
inline constexpr size_t kFewestOthersApart = 10;

/// Of an op and its gradient.
using ApartRuns = std::vector<SampledRun*>;

/// The class whose steps are in that format; empty of wide ones.
[[nodiscard]] std::optional<size_t> column_of_steps(DType format);

/// Holds the run to that class as well, if its sample did not.
void try_all(SampledRun& run, size_t column);

/// Whether all keep to the class, which is tried where it was not.
[[nodiscard]] bool are_within(const ApartRuns& runs, size_t column);

[[nodiscard]] bool is_gradient(const SampledRun& run);

/// The class of `narrow` steps where the op's runs, its gradient left out, keep to that and show
/// it to the bit: some run is off from `column` and is_made_in_written_steps(), and all others that
/// would show narrow steps may be. Errors: as load_run().
[[nodiscard]] std::optional<InferredArithmetic> written_apart(std::string_view op,
                                                              const ApartRuns& runs,
                                                              size_t column,
                                                              size_t narrow);

[[nodiscard]] InferredArithmetic vector_class(size_t column, int64_t sampled, int64_t within);

}  // namespace npuscope::diagnose
