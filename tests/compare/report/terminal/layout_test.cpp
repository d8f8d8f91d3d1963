#include "compare/report/terminal/layout.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

TEST(Layout, counts_code_points_and_no_colours) {
    EXPECT_EQ(width_of("a…b"), 3u);
    EXPECT_EQ(width_of("\x1b[31mred\x1b[0m"), 3u);
}

TEST(Layout, shortens_to_a_width_with_an_ellipsis) {
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdef", 4), "abc…");
    EXPECT_EQ(shortened("äöüäöü", 4), "äöü…");
}

TEST(Layout, wraps_words_and_leaves_long_ones_whole) {
    const std::string word(50, 'x');
    EXPECT_EQ(wrapped("a " + word + " " + word, 2, 4), "  a " + word + "\n    " + word + "\n");
    const std::string longer(90, 'y');
    EXPECT_EQ(wrapped("a " + longer, 0, 2), "a\n  " + longer + "\n");
}

}  // namespace
}  // namespace npuscope::compare
