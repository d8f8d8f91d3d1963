#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(ArgumentDiffers, names_the_arguments_that_change_the_results) {
    const Split split{.target = Introduced{.ratio = 0.1},
                      .by_golden_arguments = 70,
                      .arguments = "eps 0.001, golden 1e-05"};
    const Judgement judgement = judged_with({4.01F, 1}, {4, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kFail);
    EXPECT_EQ(judgement.rule,
              "called with other arguments: eps 0.001, golden 1e-05; with the golden's its results "
              "would be others");
}

TEST(ArgumentDiffers, leaves_arguments_that_change_nothing) {
    const Split split{.target = Introduced{.ratio = 0.1},
                      .by_golden_arguments = 0.2,
                      .arguments = "momentum 0.2, golden 0.1"};
    EXPECT_EQ(judged_with({4.01F, 1}, {4, 1}, split).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
