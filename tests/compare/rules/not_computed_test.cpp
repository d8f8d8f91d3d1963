#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(NotComputed, accuses_nobody_where_the_op_cannot_be_computed) {
    const Split split{.why_not = "random"};
    const Judgement judgement = judged_with({5, 1}, {4, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kNotProvable);
    EXPECT_EQ(judgement.rule, "off by 0.25 max|g|, and nobody can tell since when: random");
}

TEST(NotComputed, leaves_sides_that_agree) {
    EXPECT_EQ(judged_with({4, 1}, {4, 1}, {.why_not = "random"}).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
