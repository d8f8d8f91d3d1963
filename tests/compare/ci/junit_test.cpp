#include <gtest/gtest.h>

#include "tests/compare/ci/gated_result.h"

namespace npuscope::compare {
namespace {

TEST(JunitReport, is_the_approved_text) {
    EXPECT_EQ(ci_text(k_junit_ci_report), approved("small.junit.xml"));
}

}  // namespace
}  // namespace npuscope::compare
