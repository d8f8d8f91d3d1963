// What is said of one tensor pair or one op, and the rule that decided it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compare/bounds.h"

namespace npuscope::compare {

/// From best to worst; an op has the worst verdict of its outputs.
enum class Verdict : uint8_t {
    kPass,
    kMistrusted,  ///< equal within the bound, but all zero or constant: proves little
    kInherited,   ///< beyond the bound, but no more than its inputs and the ops before it explain
    kUndefined,   ///< no pair of finite elements to judge (empty, or all NaN or inf on both sides)
    kMissingTarget,  ///< only the golden side has it
    kMissingGolden,  ///< only the target side has it
    kIncomparable,   ///< shapes or dtypes cannot be judged, or the data cannot be read
    kOutOfRange,     ///< a finite golden value leaves the range of the target's dtype
    kFail,
};
inline constexpr size_t kVerdicts = static_cast<size_t>(Verdict::kFail) + 1;

/// "pass", "mistrusted", "inherited", "undefined", "missing_target", "missing_golden",
/// "incomparable", "out_of_range", "fail".
[[nodiscard]] std::string_view name_of(Verdict verdict);

/// Whether the verdict makes a comparison end with exit code 1. Mistrusted, inherited and undefined
/// do not, but they are no pass either.
[[nodiscard]] constexpr bool is_finding(Verdict verdict) {
    return verdict > Verdict::kUndefined;
}

/// `rule` is the rule with its numbers, "max|t-g| 0.5 > 1e-05 * max|g| 2 (float32)".
struct Judgement {
    Verdict verdict = Verdict::kPass;
    std::string rule{};
    Bound bound{};  ///< what was held against the pair; its source is "" when none was asked for
};

}  // namespace npuscope::compare
