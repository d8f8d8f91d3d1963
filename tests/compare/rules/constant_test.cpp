#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;

TEST(Constant, is_mistrusted_from_two_elements_on) {
    const Judgement judgement = judged({3, 3}, {3, 3});
    EXPECT_EQ(judgement.verdict, Verdict::kMistrusted);
    EXPECT_EQ(judgement.rule,
              "all elements are 3 on both sides; max|t-g| 0 <= 0.03 = 0.01 max|g| (test)");
    EXPECT_EQ(judged({3}, {3}).verdict, Verdict::kPass);
    EXPECT_EQ(judged({3, 3}, {4, 4}).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::compare
