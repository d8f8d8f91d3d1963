#include "core/base/wrapped.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Wrapped, breaks_between_words_and_indents_what_follows) {
    const std::string word(30, 'a');
    EXPECT_EQ(wrapped(word + " " + word + " " + word, 2, 4),
              "  " + word + " " + word + "\n    " + word + "\n");
}

TEST(Wrapped, leaves_a_longer_word_whole) {
    const std::string word(100, 'a');
    EXPECT_EQ(wrapped("b " + word + " c", 1, 2), " b\n  " + word + "\n  c\n");
}

TEST(Wrapped, counts_neither_colours_nor_the_rest_of_a_code_point) {
    EXPECT_EQ(width_of("\x1b[1;31mab…\x1b[0m"), 3u);
}

}  // namespace
}  // namespace npuscope
