#include <gtest/gtest.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {
namespace {

Judgement judged(double apart, bool given, int64_t nonfinite = 0) {
    Sums sums;
    sums.numel = sums.pairs = 4;
    sums.max_d = apart;
    sums.max_abs_g = 1;
    sums.max_abs_t = 1;
    sums.nonfinite_differs = nonfinite;
    const Bound bound{.tolerance = 0.5, .source = "written 0.5", .given = given};
    Split split;
    split.target = Introduced{.ratio = 9, .over = 1, .numel = 4, .arithmetic = "fp32"};
    return judge({.sums = sums, .bound = bound, .split = &split});
}

TEST(WithinTolerance, passes_whatever_the_arithmetic) {
    EXPECT_EQ(judged(0.5, true).verdict, Verdict::kPass);
    EXPECT_EQ(judged(0.5, true).rule,
              "within the tolerance given: max|t-g| 0.5 <= 0.5 = 0.5 max|g| (written 0.5)");
}

TEST(WithinTolerance, leaves_the_rest_to_the_judge) {
    EXPECT_EQ(judged(0.6, true).verdict, Verdict::kFail);
    EXPECT_EQ(judged(0.5, false).verdict, Verdict::kFail);
    EXPECT_EQ(judged(0.5, true, 1).verdict, Verdict::kFail);
    // Equal results tell nothing of a tolerance.
    EXPECT_EQ(judged(0, true).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::compare
