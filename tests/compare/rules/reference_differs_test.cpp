#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(ReferenceDiffers, accuses_nobody_when_both_sides_agree_against_what_is_computed_here) {
    const Split split{.target = Introduced{.ratio = 50, .relative = 0.1},
                      .golden = Introduced{.ratio = 49, .relative = 0.1}};
    const Judgement judgement = judged_with({4, 1}, {4, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kMistrusted);
    EXPECT_EQ(judgement.rule, "the sides agree, but both are off by 0.1 of what is computed here");
}

TEST(ReferenceDiffers, leaves_sides_that_differ) {
    const Split split{.target = Introduced{.ratio = 50}, .golden = Introduced{.ratio = 49}};
    EXPECT_EQ(judged_with({5, 1}, {4, 1}, split).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::compare
