#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;

TEST(AllZero, is_mistrusted) {
    EXPECT_EQ(judged({0, 0}, {0, 0}).verdict, Verdict::kMistrusted);
    EXPECT_EQ(judged({0}, {0}).rule, "all elements are zero on both sides");
    EXPECT_EQ(judged({0.001f, 0}, {0, 0}).verdict, Verdict::kPass);
}

}  // namespace
}  // namespace npuscope::compare
