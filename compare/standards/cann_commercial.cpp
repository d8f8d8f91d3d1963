// CANN's commercial standard: errors over a third chip's, both against float64.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "compare/standards/cann_sides.h"
#include "compare/standards/reference_error.h"

namespace npuscope::compare {

namespace {

struct RatioLimits {
    double mare = 0;
    double mere = 0;
    double rmse = 0;
};

/// So many of the elements have to be small before their errors are counted.
constexpr double kSmallShare = 0.01;
/// Small values that are wrong, over the third chip's (at least one).
constexpr double kSmallRatio = 2;
/// Of quantised results.
constexpr int64_t kQuantizedError = 1;

bool has_many_small(const CannSides& sides, const SmallValues& small) {
    const auto count = std::ranges::count_if(
        sides.reference, [&](double value) { return std::abs(value) < small.threshold; });
    return !sides.reference.empty() &&
           static_cast<double>(count) >= kSmallShare * static_cast<double>(sides.reference.size());
}

StandardVerdict ratio_verdict(const CannSides& sides,
                              const RatioLimits& limits,
                              bool infinities_count) {
    const SmallValues small = small_values_of(sides.dtype, sides.computed);
    std::vector<uint8_t> counted(sides.actual.size());
    const SpecialValues special =
        special_values(sides.actual, sides.reference, sides.third, infinities_count, counted);
    const ReferenceError own = reference_error(sides.actual, sides.reference, small, counted);
    const ReferenceError third =
        reference_error(sides.third, sides.third_reference, small, counted);
    const double mare = error_ratio(own.mare, third.mare);
    const double mere = error_ratio(own.mere, third.mere);
    const double rmse = error_ratio(own.rmse, third.rmse);
    const double wrong = static_cast<double>(own.small_wrong) /
                         static_cast<double>(std::max<int64_t>(third.small_wrong, 1));
    const bool many_small = has_many_small(sides, small);
    const bool passes = mare <= limits.mare && mere <= limits.mere && rmse <= limits.rmse &&
                        (!many_small || wrong <= kSmallRatio) && special.wrong == 0;
    StandardVerdict verdict;
    verdict.level = passes && special.unexplained == 0 ? StandardLevel::kPass
                    : passes                           ? StandardLevel::kWarning
                                                       : StandardLevel::kFail;
    verdict.word = passes ? special.unexplained == 0 ? "pass" : "needs check" : "fail";
    verdict.why = fmt::format(
        "MARE {:.3g} = {:.3g} of the third chip's (limit {:g}), MERE {:.3g} = {:.3g} (limit {:g}), "
        "RMSE {:.3g} = {:.3g} (limit {:g}), {}",
        own.mare,
        mare,
        limits.mare,
        own.mere,
        mere,
        limits.mere,
        own.rmse,
        rmse,
        limits.rmse,
        sides.told);
    if (many_small)
        verdict.why += fmt::format("; small values wrong: {}, the third chip's {} (limit twice)",
                                   own.small_wrong,
                                   third.small_wrong);
    if (special.wrong + special.unexplained > 0)
        verdict.why += fmt::format("; infinities and NaN: {} wrong, {} to be looked into",
                                   special.wrong,
                                   special.unexplained);
    verdict.figures = {{"mare", own.mare},
                       {"mere", own.mere},
                       {"rmse", own.rmse},
                       {"mare_third", third.mare},
                       {"mere_third", third.mere},
                       {"rmse_third", third.rmse},
                       {"mare_ratio", mare},
                       {"mere_ratio", mere},
                       {"rmse_ratio", rmse},
                       {"small_wrong", static_cast<double>(own.small_wrong)},
                       {"small_wrong_third", static_cast<double>(third.small_wrong)},
                       {"special_wrong", static_cast<double>(special.wrong)},
                       {"special_unexplained", static_cast<double>(special.unexplained)}};
    return verdict;
}

std::vector<StandardVerdict> judge_commercial(const StandardQuery& query,
                                              const RatioLimits& limits) {
    return CannOp(query, true)
        .verdicts(
            [](WholeRule rule) -> std::optional<int64_t> {
                if (rule == WholeRule::kNone) return std::nullopt;
                return rule == WholeRule::kEqual ? 0 : kQuantizedError;
            },
            [&](const CannSides& sides) {
                return ratio_verdict(sides, limits, query.infinities_count);
            });
}

constexpr RatioLimits kLevel0{10, 2, 2};
constexpr RatioLimits kLevel1{5, 1.5, 1.5};
constexpr RatioLimits kLevel2{2, 1.2, 1.2};

constexpr std::string_view kCommercialWords = "pass, needs check, fail";
constexpr std::string_view kCommercialSource =
    "CANN's commercial operator precision standard: ascend-ai-coding/awesome-ascend-skills, "
    "external/cannbot/ops/ops-precision-standard, mare_mere_rmse_ratio.py, small_value_check.py, "
    "inf_nan_check.py, commit 62a4ecbb";

}  // namespace

std::span<const Standard> cann_commercial_standards() {
    static constexpr std::array<Standard, 3> kRows = {
        {{.name = "cann-L0",
          .rule = "MARE, MERE and RMSE against fp64 are at most 10, 2 and 2 times a third chip's; "
                  "whole numbers are equal, off by 1 where floats were quantised; small values, "
                  "infinities and NaN by rules of their own",
          .verdicts = kCommercialWords,
          .source = kCommercialSource,
          .takes_third = true,
          .judge = [](const StandardQuery& query) { return judge_commercial(query, kLevel0); }},
         {.name = "cann-L1",
          .rule = "the same, at most 5, 1.5 and 1.5 times",
          .verdicts = kCommercialWords,
          .source = kCommercialSource,
          .takes_third = true,
          .judge = [](const StandardQuery& query) { return judge_commercial(query, kLevel1); }},
         {.name = "cann-L2",
          .rule = "the same, at most 2, 1.2 and 1.2 times",
          .verdicts = kCommercialWords,
          .source = kCommercialSource,
          .takes_third = true,
          .judge = [](const StandardQuery& query) { return judge_commercial(query, kLevel2); }}}};
    return kRows;
}

}  // namespace npuscope::compare
