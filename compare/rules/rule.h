// One row of compare/rules/rules.def: when a verdict holds of a measured tensor pair, and in which
// words.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compare/bounds.h"
#include "compare/measure/sums.h"
#include "compare/split.h"
#include "compare/verdict.h"
#include "core/dtype/dtype.h"

namespace npuscope::compare {

/// What was noticed of the target's ops before a tensor, while they ran.
struct LiveHistory {
    bool honest = false;        ///< each added no more than its arithmetic may
    bool same_program = false;  ///< the golden's ops are the same, in the same order
    std::string fault{};        ///< of an op since the tensor before it; "" without one
};

/// What is known of a tensor pair. A rule that lacks its evidence does not apply.
struct Evidence {
    const Sums& sums;
    const Bound& bound;
    DType dtype = DType::kFloat32;     ///< of the target
    const Split* split = nullptr;      ///< nullptr: nobody was asked to recompute the op
    bool is_input = false;             ///< nothing was computed here: what differs came in
    std::optional<double> noise = {};  ///< relative error between runs that are alike
    /// Of an input that no op made, farther off than what was computed before: that distance.
    std::optional<double> from_nothing = {};
    const LiveHistory* history = nullptr;  ///< nullptr: nobody watched the ops as they ran

    /// max|t-g| / max(max|g|, bound.scale) (max|t-g| where both are 0); infinity where only one
    /// side is non-finite.
    [[nodiscard]] double relative_error() const;
    /// Some pair of finite elements is further apart than the bound allows.
    [[nodiscard]] bool beyond_bound() const;
    /// That, or a non-finite element stands against another.
    [[nodiscard]] bool differs() const { return sums.nonfinite_differs > 0 || beyond_bound(); }
    /// What the sides introduced; nullptr where it is not known.
    [[nodiscard]] const Introduced* target() const {
        return split != nullptr && split->target ? &*split->target : nullptr;
    }
    [[nodiscard]] const Introduced* golden() const {
        return split != nullptr && split->golden ? &*split->golden : nullptr;
    }
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
