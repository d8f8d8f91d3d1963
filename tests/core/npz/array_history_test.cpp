#include "core/npz/array_history.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(ArrayHistory, is_written_a_line_each_for_what_is_known) {
    EXPECT_EQ(to_comment({}), "");
    EXPECT_EQ(to_comment({.compute_type = ComputeType::kFloat16}), "ComputeType=float16");
    EXPECT_EQ(to_comment({.compute_type = ComputeType::kFloat16,
                          .program = "1f",
                          .honest = true,
                          .fault = "/mm/1:\n2 of 4"}),
              "ComputeType=float16\nProgram=1f\nHonest=yes\nFault=/mm/1: 2 of 4");
}

TEST(ArrayHistory, is_read_from_what_was_written) {
    const ArrayHistory history{.program = "1f", .honest = true, .fault = "x=y"};
    EXPECT_EQ(history_from_comment(to_comment(history)), history);
}

TEST(ArrayHistory, takes_other_writers_comments_for_none) {
    for (const char* text : {"", "mine", "\xff", "ComputeType=", "Honest=no", "\n\n"})
        EXPECT_EQ(history_from_comment(text), ArrayHistory{}) << text;
}

}  // namespace
}  // namespace npuscope
