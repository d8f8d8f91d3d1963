#include "compare/judge.h"

#include <algorithm>

#include <fmt/format.h>

namespace npuscope::compare {

namespace {

std::string counted(int64_t count, int64_t numel) {
    return fmt::format("{} of {} elements", count, numel);
}

Judgement judge_exact(const Sums& sums, const Bound& bound) {
    if (sums.unequal > 0)
        return {Verdict::kFail,
                fmt::format("t != g at {}, most by {:.6g} at [{}] ({})",
                            counted(sums.unequal, sums.numel),
                            sums.max_d,
                            sums.max_d_at,
                            bound.source)};
    return {Verdict::kPass, fmt::format("t = g ({})", bound.source)};
}

Judgement judge_bounded(const Sums& sums, const Bound& bound) {
    const double scale = std::max(sums.max_abs_g, bound.scale);
    const bool absolute = bound.limit || scale == 0;
    const double limit = bound.limit ? *bound.limit : bound.tolerance * (absolute ? 1 : scale);
    // Written so that a limit that is no number fails.
    const bool within = sums.max_d <= limit;
    const char* unit = scale > sums.max_abs_g ? "sum|x|" : "max|g|";
    const std::string allowed = absolute
                                    ? fmt::format("{:.3g}", limit)
                                    : fmt::format("{:.3g} = {:g} {}", limit, bound.tolerance, unit);
    return {
        within ? Verdict::kPass : Verdict::kFail,
        fmt::format(
            "max|t-g| {:.3g} {} {} ({})", sums.max_d, within ? "<=" : ">", allowed, bound.source)};
}

}  // namespace

Judgement judge(const Sums& sums, const Bound& bound, DType dtype) {
    if (sums.nonfinite_differs > 0)
        return {Verdict::kFail,
                fmt::format("nan or inf differ at {}, first at [{}]",
                            counted(sums.nonfinite_differs, sums.numel),
                            sums.first_nonfinite)};
    Judgement judgement = bound.exact ? judge_exact(sums, bound) : judge_bounded(sums, bound);
    if (sums.pairs > 0 && judgement.verdict == Verdict::kFail) return judgement;
    if (sums.golden_out_of_range > 0)
        return {Verdict::kOutOfRange,
                fmt::format("g leaves the range of {} at {}, first at [{}]",
                            name_of(dtype),
                            counted(sums.golden_out_of_range, sums.numel),
                            sums.first_out_of_range)};
    if (sums.numel == 0) return {Verdict::kUndefined, "no elements"};
    if (sums.pairs == 0) return {Verdict::kUndefined, "all elements are nan or inf on both sides"};
    if (sums.max_abs_t == 0 && sums.max_abs_g == 0)
        return {Verdict::kMistrusted, "all elements are zero on both sides"};
    if (sums.pairs > 1 && sums.min_t == sums.max_t && sums.min_g == sums.max_g)
        return {Verdict::kMistrusted,
                fmt::format("all elements are {:g} on both sides; {}", sums.min_t, judgement.rule)};
    return judgement;
}

void judge_as_sum(TensorResult& measured, DType dtype, const std::function<double()>& magnitudes) {
    if (measured.judgement.verdict != Verdict::kFail || measured.bound.exact) return;
    measured.bound.scale = magnitudes();
    if (measured.bound.scale > 0) measured.judgement = judge(measured.sums, measured.bound, dtype);
}

}  // namespace npuscope::compare
