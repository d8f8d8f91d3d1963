#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(BeyondArithmetic, names_the_elements_and_the_worst_of_them) {
    const Split split{.target = Introduced{.ratio = 2.5,
                                           .over = 1,
                                           .numel = 2,
                                           .worst = {{0, 5, 4, 0.4}},
                                           .where = "all in [0]",
                                           .arithmetic = "fp16 inputs, fp32 sums"}};
    const Judgement judgement = judged_with({5, 1}, {4, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kFail);
    EXPECT_EQ(judgement.rule,
              "1 of 2 elements beyond what fp16 inputs, fp32 sums makes of these inputs, all in "
              "[0]; [0] is 5 instead of 4, 2.5 times too far");
}

TEST(BeyondArithmetic, holds_although_the_sides_agree_within_the_tolerance) {
    const Split split{.target = Introduced{.ratio = 1.01}};
    EXPECT_EQ(judged_with({4.01, 1}, {4, 1}, split).verdict, Verdict::kFail);
}

TEST(BeyondArithmetic, leaves_what_is_honest) {
    const Split split{.target = Introduced{.ratio = 1}};
    EXPECT_EQ(judged_with({4.01, 1}, {4, 1}, split).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
