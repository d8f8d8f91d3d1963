#include "loss/lines.h"

#include <gtest/gtest.h>

namespace npuscope::loss {
namespace {

std::vector<std::string> lines_of(const std::string& text,
                                  const std::string& marker,
                                  size_t* too_long = nullptr) {
    MarkedLines lines(text, marker);
    std::vector<std::string> found;
    std::string_view line;
    while (lines.next(line))
        found.emplace_back(line);
    if (too_long != nullptr) *too_long = lines.too_long();
    return found;
}

TEST(MarkedLines, end_with_either_mark_and_hold_the_word) {
    const std::string text = "loss 1\nother\r\nloss 2\rloss 3 loss\nend loss";
    EXPECT_EQ(lines_of(text, "loss"),
              (std::vector<std::string>{"loss 1", "loss 2", "loss 3 loss", "end loss"}));
    EXPECT_EQ(lines_of("a\r\nb", ""), (std::vector<std::string>{"a", "", "b"}));
    EXPECT_TRUE(lines_of("", "loss").empty());
}

TEST(MarkedLines, pass_over_lines_without_end) {
    size_t too_long = 0;
    const std::string text = std::string(3 * kLongestLine, 'x') + "loss\nloss 2" +
                             std::string(kLongestLine, ' ') + "\nloss 3\n";
    EXPECT_EQ(lines_of(text, "loss", &too_long), (std::vector<std::string>{"loss 3"}));
    EXPECT_EQ(too_long, 2U);
}

TEST(WithoutEscapes, leaves_what_is_printed) {
    std::string buffer;
    EXPECT_EQ(without_escapes("\x1b[38;2;1;2;3mloss\x1b[0m 1", buffer), "loss 1");
    EXPECT_EQ(without_escapes("plain", buffer), "plain");
    EXPECT_EQ(without_escapes("\x1b[31", buffer), "");
}

TEST(TakeRank, knows_the_marks_of_launchers) {
    const auto taken = [](std::string_view line) {
        const int32_t rank = take_rank(line);
        return std::pair(rank, std::string(line));
    };
    EXPECT_EQ(taken("[rank3]: step"), std::pair(3, std::string(" step")));
    EXPECT_EQ(taken("[default12]:step"), std::pair(12, std::string("step")));
    EXPECT_EQ(taken("[1,5]<stdout>:step"), std::pair(5, std::string("step")));
    EXPECT_EQ(taken(" 7: step"), std::pair(7, std::string("step")));
    EXPECT_EQ(taken("[rankings] 1"), std::pair(-1, std::string("[rankings] 1")));
    EXPECT_EQ(taken("10/100 loss"), std::pair(-1, std::string("10/100 loss")));
    EXPECT_EQ(taken(""), std::pair(-1, std::string()));
}

}  // namespace
}  // namespace npuscope::loss
