#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {

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
    const double scale = std::max(sums.max_abs_g, bound.scale);
    return scale > 0 ? sums.max_d / scale : sums.max_d;
}

namespace {

/// What max|t-g| may be, and in which words.
struct Allowed {
    double limit;
    std::string text;
};

Allowed allowed(const Sums& sums, const Bound& bound) {
    const double scale = std::max(sums.max_abs_g, bound.scale);
    if (bound.limit) return {*bound.limit, fmt::format("{:.3g}", *bound.limit)};
    if (scale == 0) return {bound.tolerance, fmt::format("{:.3g}", bound.tolerance)};
    const double limit = bound.tolerance * scale;
    const char* unit = scale > sums.max_abs_g ? "sum|x|" : "max|g|";
    return {limit, fmt::format("{:.3g} = {:g} {}", limit, bound.tolerance, unit)};
}

}  // namespace

bool Evidence::beyond_bound() const {
    if (sums.pairs == 0) return false;
    if (bound.exact) return sums.unequal > 0;
    // Written so that a limit that is no number fails.
    return !(sums.max_d <= allowed(sums, bound).limit);
}

std::string Evidence::bound_text() const {
    if (bound.exact)
        return sums.unequal == 0 ? fmt::format("t = g ({})", bound.source)
                                 : fmt::format("t != g at {}, most by {:.6g} at [{}] ({})",
                                               share_text(sums.unequal),
                                               sums.max_d,
                                               sums.max_d_at,
                                               bound.source);
    return fmt::format("max|t-g| {:.3g} {} {} ({})",
                       sums.max_d,
                       beyond_bound() ? ">" : "<=",
                       allowed(sums, bound).text,
                       bound.source);
}

std::string Evidence::share_text(int64_t count) const {
    return fmt::format("{} of {} elements", count, sums.numel);
}

}  // namespace npuscope::compare
