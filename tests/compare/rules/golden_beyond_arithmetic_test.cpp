#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(GoldenBeyondArithmetic, blames_the_golden_where_the_target_is_nearer_to_the_exact_result) {
    const Split split{.target = Introduced{.ratio = 0.1, .relative = 1e-7, .arithmetic = "fp32"},
                      .golden = Introduced{.ratio = 30, .relative = 0.2, .arithmetic = "fp32"}};
    const Judgement judgement = judged_with({5, 1}, {4, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kGoldenAtFault);
    EXPECT_EQ(judgement.rule,
              "the golden is off by 0.2 of f(its inputs), 30 times what fp32 may be; the target by "
              "1e-07");
}

TEST(GoldenBeyondArithmetic, leaves_sides_that_agree_and_targets_that_are_worse) {
    const Split golden_only{.target = Introduced{.ratio = 0.1}, .golden = Introduced{.ratio = 30}};
    EXPECT_EQ(judged_with({4, 1}, {4, 1}, golden_only).verdict, Verdict::kPass);
    const Split both{.target = Introduced{.ratio = 40}, .golden = Introduced{.ratio = 30}};
    EXPECT_EQ(judged_with({5, 1}, {4, 1}, both).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::compare
