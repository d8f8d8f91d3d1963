#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

Judgement judged_input(const std::vector<float>& target, const std::vector<float>& golden) {
    const Sums sums = accumulate(test::floats(target), test::floats(golden), false, 1);
    const Bound bound{.tolerance = 0.01, .source = "test"};
    const Split nothing;
    return judge({.sums = sums, .bound = bound, .split = &nothing, .is_input = true});
}

TEST(CameIn, takes_inputs_that_differ) {
    const Judgement judgement = judged_input({5, 1}, {4, 1});
    EXPECT_EQ(judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(judgement.rule, "off by 0.25 max|g|");
    EXPECT_EQ(judged_input({NAN, 1}, {4, 1}).verdict, Verdict::kInherited);
}

TEST(CameIn, leaves_inputs_that_agree) {
    EXPECT_EQ(judged_input({4, 1}, {4, 1}).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
