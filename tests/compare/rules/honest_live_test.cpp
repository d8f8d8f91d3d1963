#include <gtest/gtest.h>

#include "compare/measure/accumulate.h"
#include "compare/rules/rule.h"
#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

Judgement judged_after(const std::vector<float>& target, const LiveHistory& history) {
    const Sums sums = accumulate(test::floats(target), test::floats({4, 1}), false, 1);
    const Bound bound{.tolerance = 0.01, .source = "test"};
    return judge({.sums = sums, .bound = bound, .history = &history});
}

TEST(HonestLive, takes_what_honest_ops_of_the_same_program_make) {
    const Judgement judgement = judged_after({5, 1}, {.honest = true, .same_program = true});
    EXPECT_EQ(judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(
        judgement.rule,
        "off by 0.25 max|g|; both sides ran the same ops before it, and each was judged as it "
        "ran");
}

TEST(HonestLive, excuses_no_other_program_and_nothing_that_was_not_judged) {
    EXPECT_EQ(judged_after({5, 1}, {.honest = true, .same_program = false}).verdict,
              Verdict::kFail);
    EXPECT_EQ(judged_after({5, 1}, {.honest = false, .same_program = true}).verdict,
              Verdict::kFail);
}

TEST(HonestLive, leaves_what_agrees) {
    EXPECT_EQ(judged_after({4, 1}, {.honest = true, .same_program = true}).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
