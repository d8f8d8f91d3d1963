#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;

TEST(BeyondBound, holds_a_sum_that_cancels_against_what_was_added) {
    const Bound sum = {.tolerance = 0.01, .limit = {}, .source = "test", .scale = 200};
    EXPECT_EQ(judged({2, 1}, {0.5f, 0}, sum).verdict, Verdict::kPass);
    const Judgement fail = judged({3, 1}, {0.5f, 0}, sum);
    EXPECT_EQ(fail.verdict, Verdict::kFail);
    EXPECT_EQ(fail.rule, "max|t-g| 2.5 > 2 = 0.01 sum|x| (test)");
    // What is left is more than what was said to be added: the larger counts.
    EXPECT_EQ(judged({1003, 1}, {1000, 0}, sum).verdict, Verdict::kPass);
}

TEST(BeyondBound, is_absolute_where_the_golden_is_zero) {
    EXPECT_EQ(judged({0.01f, 0.005f}, {0, 0}).verdict, Verdict::kPass);
    EXPECT_EQ(judged({0.02f, 0}, {0, 0}).verdict, Verdict::kFail);
}

TEST(BeyondBound, takes_a_given_limit_as_it_is) {
    const Bound bound{.tolerance = 0, .limit = 2.0, .source = "derived"};
    EXPECT_EQ(judged({3, 10}, {1, 10}, bound).verdict, Verdict::kPass);
    EXPECT_EQ(judged({3.5f, 10}, {1, 10}, bound).verdict, Verdict::kFail);
}

TEST(BeyondBound, asks_exact_pairs_to_be_equal) {
    const Bound exact{.exact = true, .limit = {}, .source = "int32 exact"};
    const auto judge_ints = [&](std::initializer_list<int32_t> t,
                                std::initializer_list<int32_t> g) {
        const auto size = static_cast<int64_t>(t.size());
        return judged(Tensor::from<int32_t>({size}, t), Tensor::from<int32_t>({size}, g), exact);
    };
    EXPECT_EQ(judge_ints({1, 2}, {1, 2}).verdict, Verdict::kPass);
    EXPECT_EQ(judge_ints({1, 2, 9}, {1, 3, 5}).rule,
              "t != g at 2 of 3 elements, most by 4 at [2] (int32 exact)");
}

}  // namespace
}  // namespace npuscope::compare
