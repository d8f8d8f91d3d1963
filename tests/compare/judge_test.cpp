#include "compare/judge.h"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "compare/accumulate.h"
#include "compare/compare.h"
#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

using test::kInf;
using test::kNan;

Judgement judged(const std::vector<float>& t,
                 const std::vector<float>& g,
                 const Bound& bound = {.tolerance = 0.01, .limit = {}, .source = "test"}) {
    const auto size = static_cast<int64_t>(t.size());
    return judge(accumulate(Tensor::from<float>({size}, std::span<const float>(t)),
                            Tensor::from<float>({size}, std::span<const float>(g)),
                            false,
                            1),
                 bound,
                 DType::kFloat32);
}

TEST(Judge, passes_up_to_the_tolerance_of_the_largest_golden_value) {
    EXPECT_EQ(judged({1, 50.5f}, {1, 50}).verdict, Verdict::kPass);
    const Judgement fail = judged({1, 50.75f}, {1, 50});
    EXPECT_EQ(fail.verdict, Verdict::kFail);
    EXPECT_EQ(fail.rule, "max|t-g| 0.75 > 0.5 = 0.01 max|g| (test)");
}

TEST(Judge, holds_a_sum_that_cancels_against_what_was_added) {
    const Bound sum = {.tolerance = 0.01, .limit = {}, .source = "test", .scale = 200};
    EXPECT_EQ(judged({2, 1}, {0.5f, 0}, sum).verdict, Verdict::kPass);
    const Judgement fail = judged({3, 1}, {0.5f, 0}, sum);
    EXPECT_EQ(fail.verdict, Verdict::kFail);
    EXPECT_EQ(fail.rule, "max|t-g| 2.5 > 2 = 0.01 sum|x| (test)");
    // What is left is more than what was said to be added: the larger counts.
    EXPECT_EQ(judged({1003, 1}, {1000, 0}, sum).verdict, Verdict::kPass);
}

TEST(Judge, is_absolute_where_the_golden_is_zero) {
    EXPECT_EQ(judged({0.01f, 0.005f}, {0, 0}).verdict, Verdict::kPass);
    EXPECT_EQ(judged({0.02f, 0}, {0, 0}).verdict, Verdict::kFail);
}

TEST(Judge, takes_a_given_limit_as_it_is) {
    const Bound bound{.tolerance = 0, .limit = 2.0, .source = "derived"};
    EXPECT_EQ(judged({3, 10}, {1, 10}, bound).verdict, Verdict::kPass);
    EXPECT_EQ(judged({3.5f, 10}, {1, 10}, bound).verdict, Verdict::kFail);
}

TEST(Judge, fails_when_nan_or_inf_are_on_one_side_only) {
    EXPECT_EQ(judged({kNan, 1}, {2, 1}).verdict, Verdict::kFail);
    EXPECT_EQ(judged({2, 1}, {kInf, 1}).verdict, Verdict::kFail);
    EXPECT_EQ(judged({kInf, 1}, {-kInf, 1}).rule,
              "nan or inf differ at 1 of 2 elements, first at [0]");
}

TEST(Judge, passes_equal_nan_and_inf_beside_good_elements) {
    EXPECT_EQ(judged({kNan, kInf, 1, 2}, {kNan, kInf, 1, 2}).verdict, Verdict::kPass);
}

TEST(Judge, has_no_verdict_without_finite_pairs) {
    EXPECT_EQ(judged({kNan, kInf}, {kNan, kInf}).verdict, Verdict::kUndefined);
    EXPECT_EQ(judged({}, {}).verdict, Verdict::kUndefined);
}

TEST(Judge, mistrusts_all_zero_and_constant_tensors) {
    EXPECT_EQ(judged({0, 0}, {0, 0}).verdict, Verdict::kMistrusted);
    EXPECT_EQ(judged({0}, {0}).verdict, Verdict::kMistrusted);
    EXPECT_EQ(judged({3, 3}, {3, 3}).verdict, Verdict::kMistrusted);
    EXPECT_EQ(judged({3}, {3}).verdict, Verdict::kPass);
    EXPECT_EQ(judged({3, 3}, {4, 4}).verdict, Verdict::kFail);
}

TEST(Judge, names_golden_values_outside_the_targets_range) {
    const Tensor target = Tensor::from<Float16>({2}, {Float16{0x7c00}, to_float16(1.0f)});
    const Tensor golden = Tensor::from<float>({2}, {70000.0f, 1.0f});
    const Judgement judgement = judge(accumulate(target, golden, false, 1),
                                      {.tolerance = 0.01, .limit = {}, .source = "test"},
                                      DType::kFloat16);
    EXPECT_EQ(judgement.verdict, Verdict::kOutOfRange);
    EXPECT_EQ(judgement.rule, "g leaves the range of float16 at 1 of 2 elements, first at [0]");
}

TEST(Judge, asks_exact_pairs_to_be_equal) {
    const Bound exact{.exact = true, .limit = {}, .source = "int32 exact"};
    const auto judge_ints = [&](std::initializer_list<int32_t> t,
                                std::initializer_list<int32_t> g) {
        const auto size = static_cast<int64_t>(t.size());
        return judge(
            accumulate(
                Tensor::from<int32_t>({size}, t), Tensor::from<int32_t>({size}, g), false, 1),
            exact,
            DType::kInt32);
    };
    EXPECT_EQ(judge_ints({1, 2}, {1, 2}).verdict, Verdict::kPass);
    EXPECT_EQ(judge_ints({1, 2, 9}, {1, 3, 5}).rule,
              "t != g at 2 of 3 elements, most by 4 at [2] (int32 exact)");
}

TEST(Verdict, names_are_the_documented_ones_and_findings_are_what_differs) {
    EXPECT_EQ(name_of(Verdict::kPass), "pass");
    EXPECT_EQ(name_of(Verdict::kOutOfRange), "out_of_range");
    EXPECT_EQ(name_of(Verdict::kMissingGolden), "missing_golden");
    EXPECT_FALSE(is_finding(Verdict::kPass));
    EXPECT_FALSE(is_finding(Verdict::kMistrusted));
    EXPECT_FALSE(is_finding(Verdict::kUndefined));
    for (const Verdict verdict : {Verdict::kMissingTarget,
                                  Verdict::kMissingGolden,
                                  Verdict::kIncomparable,
                                  Verdict::kOutOfRange,
                                  Verdict::kFail})
        EXPECT_TRUE(is_finding(verdict));
}

TEST(CompareTensors, refuses_other_shapes_and_kinds_of_dtype) {
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    const Tensor a = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
    EXPECT_EQ(compare_tensors(a, a.reshaped({4}), bound).judgement.rule,
              "shapes differ: [2,2] and [4]");
    EXPECT_EQ(compare_tensors(a, a.cast(DType::kInt32), bound).judgement.verdict,
              Verdict::kIncomparable);
}

TEST(CompareTensors, ignores_dimensions_of_one) {
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    const Tensor a = Tensor::from<float>({2, 2}, {1, 2, 3, 4});
    const TensorResult result = compare_tensors(a, a.reshaped({2, 1, 2}), bound);
    EXPECT_EQ(result.judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.metrics.size(), all_metrics().size());
    EXPECT_EQ(result.bound.source, "test");
}

}  // namespace
}  // namespace npuscope::compare
