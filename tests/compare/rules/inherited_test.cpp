#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;

Judgement with(const Inheritance& inherited, double t) {
    const Sums sums =
        accumulate(test::floats({static_cast<float>(t), 1}), test::floats({4, 1}), false, 1);
    const Bound bound{.tolerance = 0.01, .source = "test"};
    return judge({.sums = sums, .bound = bound, .inherited = inherited});
}

TEST(Inherited, takes_an_error_that_its_inputs_explain_and_no_more) {
    // (5 - 4) / 4 = 0.25 of the largest value.
    const Judgement judgement = with({0.25, "came in through x (0.2)"}, 5);
    EXPECT_EQ(judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(judgement.rule, "off by 0.25 max|g|, came in through x (0.2)");
    EXPECT_EQ(with({0.24, ""}, 5).verdict, Verdict::kFail);
}

TEST(Inherited, leaves_what_passes_and_what_is_not_finite) {
    EXPECT_EQ(with({1, ""}, 4.01).verdict, Verdict::kPass);
    EXPECT_EQ(with({1e300, ""}, INFINITY).verdict, Verdict::kFail);
    EXPECT_EQ(judged({5, 1}, {4, 1}).verdict, Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::compare
