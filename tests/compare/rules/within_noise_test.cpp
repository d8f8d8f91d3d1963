#include <limits>

#include <gtest/gtest.h>

#include "compare/rules/rule.h"

namespace npuscope::compare {
namespace {

Judgement judged(double apart, double floor, int64_t nonfinite = 0) {
    Sums sums;
    sums.numel = sums.pairs = 4;
    sums.max_d = apart;
    sums.max_abs_g = 1;
    sums.max_abs_t = 1;
    sums.nonfinite_differs = nonfinite;
    Bound bound{.tolerance = 1e-5, .source = "float32 1e-05"};
    bound.floor = floor;
    bound.runs = 2;
    Split split;
    split.target = Introduced{.ratio = 9, .over = 1, .numel = 4};
    return judge({.sums = sums, .bound = bound, .split = &split});
}

TEST(WithinNoise, is_never_a_finding) {
    EXPECT_EQ(judged(0.5, 0.5).verdict, Verdict::kPass);
    EXPECT_EQ(judged(0.5, 0.5).rule, "max|t-g| 0.5 is within the noise of 3 like runs, 0.5");
    EXPECT_EQ(judged(0.5, 0.4).verdict, Verdict::kFail);
    EXPECT_EQ(judged(0.5, 0).verdict, Verdict::kFail);
}

TEST(WithinNoise, takes_infinities_only_where_like_runs_had_them) {
    EXPECT_EQ(judged(0.5, 0.5, 1).verdict, Verdict::kFail);
    EXPECT_EQ(judged(0.5, std::numeric_limits<double>::infinity(), 1).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
