// One row of compare/rules/rules.def: when a verdict holds of a measured tensor pair, and in which
// words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compare/bounds.h"
#include "compare/sums.h"
#include "compare/verdict.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

/// An error that came in from elsewhere.
struct Inheritance {
    double limit = 0;      ///< the largest relative error that it explains
    std::string_view why;  ///< "came in through weight (1e-3)"
};

/// What is known of a tensor pair. A rule that lacks its evidence does not apply.
struct Evidence {
    const Sums& sums;
    const Bound& bound;
    DType dtype = DType::kFloat32;              ///< of the target
    std::optional<Inheritance> inherited = {};  ///< what its inputs explain
    std::optional<double> introduced = {};      ///< relative error on the golden's inputs
    std::optional<double> golden_error = {};    ///< of the golden against a better reference
    std::optional<double> noise = {};           ///< relative error between runs that are alike

    /// max|t-g| / max(max|g|, bound.scale) (max|t-g| where both are 0); infinity where only one
    /// side is non-finite.
    [[nodiscard]] double relative_error() const;
    /// Some pair of finite elements is further apart than the bound allows.
    [[nodiscard]] bool beyond_bound() const;
    /// "max|t-g| 0.5 > 2e-05 = 1e-05 max|g| (float32 1e-05)"
    [[nodiscard]] std::string bound_text() const;
    /// "3 of 80 elements"
    [[nodiscard]] std::string share_text(int64_t count) const;
};

struct Rule {
    std::string_view name;
    std::string_view meaning;  ///< printed by `npuscope help verdict-rules`
    Verdict verdict = Verdict::kPass;
    bool (*applies)(const Evidence& evidence) = nullptr;
    std::string (*text)(const Evidence& evidence) = nullptr;
};

#define RULE(name) extern const Rule k_##name##_rule;
#include "compare/rules/rules.def"
#undef RULE

/// In the order of rules.def.
[[nodiscard]] std::span<const Rule* const> all_rules();

/// By the first rule that applies; the last one always does. Threads: pure function.
[[nodiscard]] Judgement judge(const Evidence& evidence);

}  // namespace npuscope::compare
