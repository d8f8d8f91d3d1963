#include <gtest/gtest.h>

#include "tests/compare/ci/gated_result.h"

namespace npuscope::compare {
namespace {

TEST(SarifReport, is_the_approved_text) {
    EXPECT_EQ(ci_text(k_sarif_ci_report), approved("small.sarif"));
}

}  // namespace
}  // namespace npuscope::compare
