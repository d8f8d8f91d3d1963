#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

Judgement judged_input(const std::vector<float>& target, std::optional<double> before) {
    const Sums sums = accumulate(test::floats(target), test::floats({4, 1}), false, 1);
    const Bound bound{.tolerance = 0.01, .source = "test"};
    const Split nothing;
    return judge({.sums = sums,
                  .bound = bound,
                  .split = &nothing,
                  .is_input = true,
                  .from_nothing = before});
}

TEST(MadeByNobody, fails_what_nothing_before_it_made) {
    const Judgement judgement = judged_input({5, 1}, 0.001);
    EXPECT_EQ(judgement.verdict, Verdict::kFail);
    EXPECT_EQ(judgement.rule,
              "off by 0.25 max|g|, and nothing before it made that: no recorded op made it, and "
              "what was computed before it and may have made it is off by 0.001 at most");
    EXPECT_EQ(judged_input({5, 1}, 0).rule,
              "off by 0.25 max|g|, and nothing before it made that: no recorded op made it, and "
              "all that was computed before it is the golden's");
}

TEST(MadeByNobody, leaves_inputs_that_agree_or_that_something_made) {
    EXPECT_EQ(judged_input({4, 1}, 0.001).verdict, Verdict::kPass);
    EXPECT_EQ(judged_input({5, 1}, std::nullopt).verdict, Verdict::kInherited);
}

}  // namespace
}  // namespace npuscope::compare
