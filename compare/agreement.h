// Whether two ops made the same, however far each was judged.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "compare/compare.h"

namespace npuscope::compare {

/// Of max|g|: what rounding of operands to eleven bits leaves of sums.
inline constexpr double kAgreement = 5e-3;

/// A chain of ops may be so many times farther off at its end than at its beginning.
inline constexpr double kChainGrowth = 8;
/// Of max|g|: rounding to 8 bits, a few times over, leaves a chain of ops so far off.
inline constexpr double kChainNoise = 0.02;

/// Whether it passed or proves nothing; or came in and is no farther off than rounding makes.
[[nodiscard]] inline bool agrees(const TensorResult& tensor) {
    const Verdict verdict = tensor.judgement.verdict;
    return verdict <= Verdict::kUndefined ||
           (verdict == Verdict::kInherited && relative_error(tensor) <= kAgreement);
}

/// Whether both sides have it, in shapes or dtypes that cannot be compared.
[[nodiscard]] inline bool is_of_other_shape(const TensorResult& tensor) {
    return tensor.judgement.verdict == Verdict::kIncomparable && !tensor.target.empty() &&
           !tensor.golden.empty();
}

/// All results of the op.
[[nodiscard]] inline bool results_agree(const OpResult& op) {
    return std::ranges::all_of(op.tensors, [](const TensorResult& tensor) {
        return tensor.direction != dumpfile::Direction::kOutput || agrees(tensor);
    });
}

/// Whether one side alone has it, or a tensor of it fails.
[[nodiscard]] inline bool lacks_side_or_fails(const OpResult& op) {
    return op.target.empty() || op.golden.empty() ||
           std::ranges::any_of(op.tensors, [](const TensorResult& tensor) {
               return tensor.judgement.verdict == Verdict::kFail;
           });
}

/// Of the cosine between both sides, squared; 0 where a side holds nothing but zeros.
[[nodiscard]] inline double cosine_squared(const Sums& sums) {
    return sums.tt > 0 && sums.gg > 0 ? sums.tg * sums.tg / (sums.tt * sums.gg) : 0;
}

/// |t - g| / |g|; nothing of what has no such number.
[[nodiscard]] inline std::optional<double> norm_of(const TensorResult& tensor) {
    const Sums& sums = tensor.sums;
    if (tensor.metrics.empty() || !is_floating(tensor) || sums.nonfinite_differs > 0 ||
        !(sums.gg > 0))
        return std::nullopt;
    return std::sqrt(sums.dd / sums.gg);
}

}  // namespace npuscope::compare
