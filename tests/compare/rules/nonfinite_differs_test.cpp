#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;
using test::kInf;
using test::kNan;

TEST(NonfiniteDiffers, fails_when_nan_or_inf_are_on_one_side_only) {
    EXPECT_EQ(judged({kNan, 1}, {2, 1}).verdict, Verdict::kFail);
    EXPECT_EQ(judged({2, 1}, {kInf, 1}).verdict, Verdict::kFail);
    EXPECT_EQ(judged({kInf, 1}, {-kInf, 1}).rule,
              "nan or inf differ at 1 of 2 elements, first at [0]");
}

}  // namespace
}  // namespace npuscope::compare
