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

TEST(Overflowed, names_the_dtype_of_narrow_results) {
    const Tensor target = Tensor::from<Float16>({2}, {to_float16(INFINITY), to_float16(1.0F)});
    const Tensor golden = Tensor::from<float>({2}, {1000.0F, 1.0F});
    const Split split{.target = Introduced{.overflowed = 1, .arithmetic = "fp32"},
                      .golden = Introduced{}};
    const Bound bound{.tolerance = 0.01, .limit = {}, .source = "test"};
    EXPECT_EQ(test::judged(target, golden, bound, &split).rule,
              "f(inputs) leaves the range of float16 at 1 of 2 elements");
}

}  // namespace
}  // namespace npuscope::compare
