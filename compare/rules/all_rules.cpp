#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

namespace {

double scale_of(const Evidence& evidence) {
    return std::max(evidence.sums.max_abs_g, evidence.bound.scale);
}

/// What max|t-g| may be.
double limit_of(const Evidence& evidence) {
    const double scale = scale_of(evidence);
    if (evidence.bound.limit) return *evidence.bound.limit;
    return evidence.bound.tolerance * (scale == 0 ? 1 : scale);
}

}  // namespace

std::span<const Rule* const> all_rules() {
    static constexpr auto kRules = std::to_array<const Rule*>({
#define RULE(name) &k_##name##_rule,
#include "compare/rules/rules.def"
#undef RULE
    });
    return kRules;
}

Judgement judge(const Evidence& evidence) {
    const auto rules = all_rules();
    const Rule& rule = **std::ranges::find_if(
        rules.begin(), rules.end() - 1, [&](const Rule* row) { return row->applies(evidence); });
    return {rule.verdict, rule.text(evidence), evidence.bound};
}

double Evidence::relative_error() const {
    if (sums.nonfinite_differs > 0) return std::numeric_limits<double>::infinity();
    const double scale = scale_of(*this);
    return scale > 0 ? sums.max_d / scale : sums.max_d;
}

bool Evidence::beyond_bound() const {
    if (sums.pairs == 0) return false;
    if (bound.exact) return sums.unequal > 0;
    // Written so that a limit that is no number fails.
    return !(sums.max_d <= limit_of(*this));
}

std::string Evidence::bound_text() const {
    if (bound.exact)
        return sums.unequal == 0 ? fmt::format("t = g ({})", bound.source)
                                 : fmt::format("t != g at {}, most by {:.6g} at [{}] ({})",
                                               share_text(sums.unequal),
                                               sums.max_d,
                                               sums.max_d_at,
                                               bound.source);
    const char* relation = beyond_bound() ? ">" : "<=";
    const double scale = scale_of(*this);
    if (bound.limit || scale == 0)
        return fmt::format(
            "max|t-g| {:.3g} {} {:.3g} ({})", sums.max_d, relation, limit_of(*this), bound.source);
    return fmt::format("max|t-g| {:.3g} {} {:.3g} = {:g} {} ({})",
                       sums.max_d,
                       relation,
                       limit_of(*this),
                       bound.tolerance,
                       scale > sums.max_abs_g ? "sum|x|" : "max|g|",
                       bound.source);
}

std::string Evidence::share_text(int64_t count) const {
    return fmt::format("{} of {} elements", count, sums.numel);
}

}  // namespace npuscope::compare
