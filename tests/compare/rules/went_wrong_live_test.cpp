#include <gtest/gtest.h>

#include "compare/measure/accumulate.h"
#include "compare/rules/rule.h"
#include "tests/support/values.h"

namespace npuscope::compare {
namespace {

Judgement judged_with(const LiveHistory& history) {
    const Sums sums = accumulate(test::floats({4, 1}), test::floats({4, 1}), false, 1);
    const Bound bound{.tolerance = 0.01, .source = "test"};
    return judge({.sums = sums, .bound = bound, .history = &history});
}

TEST(WentWrongLive, takes_what_an_op_did_even_where_the_results_agree) {
    const Judgement judgement = judged_with({.fault = "/mm/3: 2 of 4 elements"});
    EXPECT_EQ(judgement.verdict, Verdict::kFail);
    EXPECT_EQ(judgement.rule, "since the tensor before it: /mm/3: 2 of 4 elements");
}

TEST(WentWrongLive, leaves_ops_that_were_honest) {
    EXPECT_EQ(judged_with({.honest = true, .same_program = true}).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
