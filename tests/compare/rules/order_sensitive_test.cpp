#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged_with;

TEST(OrderSensitive, takes_other_places_of_equal_elements) {
    const Split split{.target = Introduced{.reordered = true}};
    const Judgement judgement = judged_with({5, 1}, {4, 1}, split);
    EXPECT_EQ(judgement.verdict, Verdict::kOrderSensitive);
    EXPECT_EQ(judgement.rule,
              "1 of 2 elements are other places, of elements that are equal up to rounding");
}

TEST(OrderSensitive, leaves_places_that_are_the_same) {
    const Split split{.target = Introduced{.reordered = true}};
    EXPECT_EQ(judged_with({4, 1}, {4, 1}, split).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
