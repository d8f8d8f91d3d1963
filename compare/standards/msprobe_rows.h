// The numbers by which msprobe's compare marks one tensor: a row of its result table.
#pragma once

#include <optional>

#include "compare/match.h"

namespace npuscope::compare {

/// What msprobe took for each tensor; of both sides alike.
enum class MsprobeMode : uint8_t { kElements, kStatistics, kHashes };

/// Empty numbers are texts in its table ("N/A", "unsupported"), which its rules pass over.
struct MsprobeRow {
    bool matched = false;  ///< the golden has it, in a dtype that msprobe compares with
    std::optional<double> cosine{};
    std::optional<double> within_thousandth{};  ///< share of elements with |t - g| < 0.001 |g|
    std::optional<double> norm_error{};         ///< |norm t - norm g| / |norm g|, not where g is 0
    bool norm_from_zero = false;                ///< the golden's norm is 0, or infinite on one side
    bool nonfinite =
        false;  ///< the target's largest or smallest element is inf or NaN, not the golden's
    bool dtypes_differ = false;
    bool shapes_differ = false;
    bool grads_differ = false;  ///< both say whether it requires a gradient, and not the same
    bool hashes_differ = false;
    bool hash_missing = false;
};

/// Errors: as SourceTensor::open.
[[nodiscard]] MsprobeRow msprobe_row(const TensorPair& pair, MsprobeMode mode);

}  // namespace npuscope::compare
