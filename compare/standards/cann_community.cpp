// CANN's standard for contributed operators: mean and largest relative error by dtype.
#include <array>

#include <fmt/format.h>

#include "compare/standards/cann_sides.h"
#include "compare/standards/reference_error.h"

namespace npuscope::compare {

namespace {

/// MARE may be so many times what MERE may be.
constexpr double kLargestOverMean = 10;

StandardVerdict threshold_verdict(const CannSides& sides, bool infinities_count) {
    const double limit = community_threshold(sides.dtype, sides.computed);
    std::vector<uint8_t> counted(sides.actual.size());
    const SpecialValues special =
        special_values(sides.actual, sides.reference, {}, infinities_count, counted);
    const ReferenceError error = reference_error(sides.actual, sides.reference, {}, counted);
    const bool passes =
        error.mere < limit && error.mare < kLargestOverMean * limit && special.wrong == 0;
    StandardVerdict verdict{passes ? StandardLevel::kPass : StandardLevel::kFail,
                            passes ? "pass" : "fail"};
    verdict.why = fmt::format("MERE {:.3g} (limit {:.3g}), MARE {:.3g} (limit {:.3g}), {}",
                              error.mere,
                              limit,
                              error.mare,
                              kLargestOverMean * limit,
                              sides.told);
    if (special.wrong > 0)
        verdict.why += fmt::format("; infinities and NaN: {} wrong", special.wrong);
    verdict.figures = {{"mare", error.mare},
                       {"mere", error.mere},
                       {"threshold", limit},
                       {"special_wrong", static_cast<double>(special.wrong)}};
    return verdict;
}

std::vector<StandardVerdict> judge_community(const StandardQuery& query) {
    return CannOp(query, false)
        .verdicts(
            [](WholeRule rule) {
                return rule == WholeRule::kEqual ? std::optional<int64_t>(0) : std::nullopt;
            },
            [&](const CannSides& sides) {
                return threshold_verdict(sides, query.infinities_count);
            });
}

}  // namespace

std::span<const Standard> cann_community_standards() {
    static constexpr std::array<Standard, 1> kRows = {
        {{.name = "cann-community",
          .rule = "MERE is below T and MARE below 10 T against fp64: T is 2^-10 (float16), 2^-7 "
                  "(bfloat16), 2^-13 (float32), 2^-11 (HF32); whole numbers of whole numbers are "
                  "equal",
          .verdicts = "pass, fail",
          .source = "CANN's standard for contributed operators: the same folder, "
                    "mare_mere_threshold.py, commit 62a4ecbb",
          .judge = judge_community}}};
    return kRows;
}

}  // namespace npuscope::compare
