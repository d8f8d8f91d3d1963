#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;

TEST(NoElements, has_no_verdict) {
    EXPECT_EQ(judged({}, {}).verdict, Verdict::kUndefined);
    EXPECT_EQ(judged({}, {}).rule, "no elements");
}

}  // namespace
}  // namespace npuscope::compare
