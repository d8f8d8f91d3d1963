#include <gtest/gtest.h>

#include "tests/compare/ci/gated_result.h"

namespace npuscope::compare {
namespace {

TEST(MarkdownReport, is_the_approved_text) {
    EXPECT_EQ(ci_text(k_markdown_ci_report), approved("small.md"));
}

}  // namespace
}  // namespace npuscope::compare
