#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;

TEST(OutOfRange, names_golden_values_outside_the_targets_range) {
    const Tensor target = Tensor::from<Float16>({2}, {Float16{0x7c00}, to_float16(1.0f)});
    const Tensor golden = Tensor::from<float>({2}, {70000.0f, 1.0f});
    const Judgement judgement =
        judged(target, golden, {.tolerance = 0.01, .limit = {}, .source = "test"});
    EXPECT_EQ(judgement.verdict, Verdict::kOutOfRange);
    EXPECT_EQ(judgement.rule, "g leaves the range of float16 at 1 of 2 elements, first at [0]");
}

// The golden's op was given other numbers.
TEST(OutOfRange, is_not_told_where_the_targets_own_inputs_stay_in_range) {
    const Tensor target = Tensor::from<Float16>({2}, {to_float16(-65504.0f), to_float16(1.0f)});
    const Tensor golden = Tensor::from<float>({2}, {-1e6f, 1.0f});
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    Split split;
    split.target = Introduced{.ratio = 0.5, .numel = 2};
    EXPECT_NE(judged(target, golden, bound, &split).verdict, Verdict::kOutOfRange);
    split.target->overflowed = 1;
    EXPECT_EQ(judged(target, golden, bound, &split).verdict, Verdict::kOutOfRange);
}

// The lowest number of a dtype stands where float32 has its own: a mask made for each.
TEST(OutOfRange, is_not_told_of_the_lowest_numbers_of_both_dtypes) {
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    const Tensor golden = Tensor::from<float>({3}, {-0x1.fffffep127F, -3.4e38F, 1.0F});
    const auto half = [](float x) { return to_float16(x); };
    const Tensor masked = Tensor::from<Float16>({3}, {half(-65504), half(-65472), half(1)});
    EXPECT_EQ(judged(masked, golden, bound).verdict, Verdict::kPass);
    const Tensor infinite = Tensor::from<Float16>({3}, {half(-65504), half(-INFINITY), half(1)});
    EXPECT_EQ(judged(infinite, golden, bound).verdict, Verdict::kPass);
    for (const float other : {65504.0F, -60000.0F})
        EXPECT_EQ(
            judged(Tensor::from<Float16>({3}, {half(other), half(-65504), half(1)}), golden, bound)
                .verdict,
            Verdict::kOutOfRange);
}

}  // namespace
}  // namespace npuscope::compare
