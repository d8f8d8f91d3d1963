#include "compare/judge_statistics.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

const Bound kFloat32{.tolerance = 1e-5, .source = "float32 1e-05"};

using test::floats;

TEST(RecordedStatistics, are_those_of_all_elements) {
    const RecordedStatistics all = recorded_of(floats({3, -4, 0}));
    EXPECT_EQ(all.max, 3);
    EXPECT_EQ(all.min, -4);
    EXPECT_DOUBLE_EQ(all.norm.value(), 5);
    EXPECT_NEAR(all.mean.value(), -1.0 / 3, 1e-15);
    EXPECT_TRUE(std::isnan(recorded_of(floats({1, NAN, 2})).max.value()));
}

TEST(RecordedStatistics, has_none_of_a_tensor_without_elements) {
    const RecordedStatistics none = recorded_of(Tensor(DType::kFloat32, {0}));
    EXPECT_FALSE(none.max || none.min || none.mean || none.norm);
}

TEST(RecordedStatistics, takes_a_missing_number_for_no_difference) {
    // A bool as msprobe records it: any() and all(), no mean and no norm.
    const RecordedStatistics flags{.max = 1, .min = 0};
    const auto [judgement, missing, deviation, scale] =
        judge_statistics(flags, {1, 0, 0.5, 2}, {.exact = true});
    EXPECT_EQ(judgement.verdict, Verdict::kPass);
    EXPECT_EQ(missing, 2);
    EXPECT_EQ(deviation, 0);
    EXPECT_EQ(scale, 1);
    EXPECT_NE(judgement.rule.find("max and min agree"), std::string::npos) << judgement.rule;
    EXPECT_NE(judgement.rule.find("mean, norm and elements were not recorded"), std::string::npos)
        << judgement.rule;
}

TEST(RecordedStatistics, still_fails_by_the_numbers_that_are_there) {
    const auto [judgement, missing, deviation, scale] =
        judge_statistics({.max = 1, .min = 1}, {.max = 1, .min = 0}, {.exact = true});
    EXPECT_EQ(judgement.verdict, Verdict::kFail);
    EXPECT_EQ(missing, 2);
    EXPECT_EQ(deviation, 1);  // of min, over the largest magnitude
    EXPECT_NE(judgement.rule.find("min 1 and 0"), std::string::npos) << judgement.rule;
}

TEST(RecordedStatistics, judges_nothing_without_a_number_on_both_sides) {
    const auto [judgement, missing, deviation, scale] =
        judge_statistics({.max = 1, .min = 0}, {.mean = 0.5, .norm = 2}, kFloat32);
    EXPECT_EQ(judgement.verdict, Verdict::kUndefined);
    EXPECT_EQ(missing, kStatistics);
    EXPECT_EQ(deviation, 0);
}

TEST(RecordedStatistics, of_sums_of_magnitudes_are_judged_by_these_alone) {
    const auto [judgement, missing, deviation, scale] =
        judge_statistics({.l1 = 101}, {.l1 = 100}, kFloat32);
    EXPECT_EQ(judgement.verdict, Verdict::kFail);
    EXPECT_EQ(missing, 0);
    EXPECT_EQ(deviation, 0.01);
    EXPECT_NE(judgement.rule.find("sum of magnitudes 101 and 100"), std::string::npos)
        << judgement.rule;
    EXPECT_EQ(judge_statistics({.l1 = 100}, {.l1 = 100}, kFloat32).judgement.verdict,
              Verdict::kPass);
}

TEST(RecordedStatistics, are_relative_to_the_largest_magnitude) {
    // 1e-5 of max|g| 4: 4e-5 for max, min and mean.
    EXPECT_EQ(judge_statistics({3, -4, 3.9e-5, 5}, {3, -4, 0, 5}, kFloat32).judgement.verdict,
              Verdict::kPass);
    EXPECT_EQ(judge_statistics({3, -4, 4.1e-5, 5}, {3, -4, 0, 5}, kFloat32).judgement.verdict,
              Verdict::kFail);
    EXPECT_EQ(judge_statistics({3, -4, NAN, 5}, {3, -4, 0, 5}, kFloat32).judgement.verdict,
              Verdict::kFail);
    EXPECT_TRUE(std::isinf(judge_statistics({3, -4, NAN, 5}, {3, -4, 0, 5}, kFloat32).deviation));
    EXPECT_EQ(judge_statistics({3, -4, NAN, 5}, {3, -4, NAN, 5}, kFloat32).judgement.verdict,
              Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
