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

}  // namespace
}  // namespace npuscope::compare
