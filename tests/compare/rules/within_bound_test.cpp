#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;
using test::kInf;
using test::kNan;

TEST(WithinBound, passes_up_to_the_tolerance_of_the_largest_golden_value) {
    EXPECT_EQ(judged({1, 50.5f}, {1, 50}).verdict, Verdict::kPass);
    const Judgement fail = judged({1, 50.75f}, {1, 50});
    EXPECT_EQ(fail.verdict, Verdict::kFail);
    EXPECT_EQ(fail.rule, "max|t-g| 0.75 > 0.5 = 0.01 max|g| (test)");
}

TEST(WithinBound, passes_equal_nan_and_inf_beside_good_elements) {
    EXPECT_EQ(judged({kNan, kInf, 1, 2}, {kNan, kInf, 1, 2}).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
