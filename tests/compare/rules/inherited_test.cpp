#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(Inherited, takes_what_came_in_when_the_ops_own_arithmetic_is_honest) {
    const Split split{.target = Introduced{.ratio = 0.5, .relative = 1e-4, .arithmetic = "fp32"},
                      .inherited = 0.25};
    const Judgement judgement = judged_with({5, 1}, {4, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(
        judgement.rule,
        "off by 0.25 max|g|, 0.25 of it came in through the inputs; its own arithmetic is off "
        "by 0.0001, 0.5 of what fp32 may be");
    EXPECT_EQ(judged_with({INFINITY, 1}, {4, 1}, split).verdict, Verdict::kInherited);
}

TEST(Inherited, leaves_what_does_not_differ) {
    const Split split{.target = Introduced{.ratio = 0.5}};
    EXPECT_EQ(judged_with({4, 1}, {4, 1}, split).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
