#include "core/naming/pattern.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Pattern, matches_any_text_and_any_character) {
    EXPECT_TRUE(fits_pattern("relu", "relu"));
    EXPECT_TRUE(fits_pattern("relu", "*"));
    EXPECT_TRUE(fits_pattern("relu", "r*u"));
    EXPECT_TRUE(fits_pattern("relu", "?el?"));
    EXPECT_TRUE(fits_pattern("ababac", "*ab*c"));
    EXPECT_TRUE(fits_pattern("", "**"));
    EXPECT_FALSE(fits_pattern("relu", "rel"));
    EXPECT_FALSE(fits_pattern("relu", "?relu"));
    EXPECT_FALSE(fits_pattern("relu", "r*x"));
    EXPECT_FALSE(fits_pattern("", "?"));
}

}  // namespace
}  // namespace npuscope
