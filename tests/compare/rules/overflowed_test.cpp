#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(Overflowed, takes_elements_whose_exact_value_leaves_the_range) {
    const Split split{
        .target = Introduced{.overflowed = 1, .arithmetic = "fp16 inputs and results, fp32 sums"},
        .golden = Introduced{}};
    const Judgement judgement = judged_with({INFINITY, 1}, {70000, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kOutOfRange);
    EXPECT_EQ(
        judgement.rule,
        "f(inputs) leaves the range of fp16 inputs and results, fp32 sums at 1 of 2 elements");
}

TEST(Overflowed, leaves_what_overflowed_in_the_golden_too) {
    const Split split{.target = Introduced{.overflowed = 1}, .golden = Introduced{.overflowed = 1}};
    EXPECT_EQ(judged_with({65504, 1}, {INFINITY, 1}, split).verdict, Verdict::kInherited);
}

}  // namespace
}  // namespace npuscope::compare
