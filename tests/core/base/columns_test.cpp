#include "core/base/columns.h"

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

TEST(Columns, wide_letters_take_two_and_colours_none) {
    EXPECT_EQ(width_of("abc"), 3u);
    EXPECT_EQ(width_of("\x1b[1;31m算子\x1b[0m"), 4u);
    EXPECT_EQ(width_of("e\u0301"), 1u);
    EXPECT_EQ(width_of("\xff\xfe"), 2u);
    EXPECT_EQ(width_of("\xe7\xae"), 2u);
    EXPECT_EQ(width_of(""), 0u);
}

// Python's table of widths is another.
TEST(Columns, are_those_of_unicode) {
    const auto others = test::run_python(R"(
import unicodedata
for c in 'aé…─█中한ｱア😀':
    print(c, 2 if unicodedata.east_asian_width(c) in 'WF' else 1)
)",
                                         {});
    std::istringstream lines(others.out);
    std::string letter;
    size_t width = 0;
    int count = 0;
    while (lines >> letter >> width) {
        EXPECT_EQ(width_of(letter), width) << letter;
        ++count;
    }
    EXPECT_EQ(count, 10);
}

TEST(Columns, a_letter_is_whole_or_left_out) {
    EXPECT_EQ(first_columns("算子x", 3), "算");
    EXPECT_EQ(first_columns("算子x", 4), "算子");
    EXPECT_EQ(first_columns("ab", 5), "ab");
}

}  // namespace
}  // namespace npuscope
