#include <gtest/gtest.h>

#include "tests/compare/rules/judged.h"

namespace npuscope::compare {
namespace {

using test::judged;
using test::kInf;
using test::kNan;

TEST(NothingFinite, has_no_verdict_without_finite_pairs) {
    EXPECT_EQ(judged({kNan, kInf}, {kNan, kInf}).verdict, Verdict::kUndefined);
    EXPECT_EQ(judged({kNan}, {kNan}).rule, "all elements are nan or inf on both sides");
}

}  // namespace
}  // namespace npuscope::compare
