// What is said of one tensor pair or one op, and the rule that decided it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compare/bounds.h"

namespace npuscope::compare {

/// From best to worst; an op has the worst verdict of its outputs. all_verdicts() says when each
/// holds.
enum class Verdict : uint8_t {
    kPass,
    kMistrusted,
    kUndefined,
    kInherited,
    kOrderSensitive,
    kNotProvable,
    kMissingTarget,
    kMissingGolden,
    kIncomparable,
    kGoldenAtFault,
    kOutOfRange,
    kFail,
};
inline constexpr size_t kVerdicts = static_cast<size_t>(Verdict::kFail) + 1;

/// One row of the table of verdicts.
struct VerdictRow {
    std::string_view name;     ///< "out_of_range", also in JSON
    std::string_view meaning;  ///< when it holds
    bool is_finding = true;    ///< whether it makes a comparison end with exit code 1
};

/// In the order of Verdict.
[[nodiscard]] std::span<const VerdictRow> all_verdicts();

[[nodiscard]] std::string_view name_of(Verdict verdict);

/// Mistrusted, inherited, undefined and the like are no findings, but they are no pass either.
[[nodiscard]] bool is_finding(Verdict verdict);
/// The same, but for golden_at_fault where that is allowed.
[[nodiscard]] bool is_finding(Verdict verdict, bool allow_golden_at_fault);

/// `rule` is the rule with its numbers, "max|t-g| 0.5 > 2e-05 = 1e-05 max|g| (float32 1e-05)".
struct Judgement {
    Verdict verdict = Verdict::kPass;
    std::string rule{};
    Bound bound{};  ///< what was held against the pair; its source is "" when none was asked for
};

}  // namespace npuscope::compare
