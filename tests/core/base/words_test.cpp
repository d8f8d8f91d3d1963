#include "core/base/words.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Words, stand_between_separators) {
    EXPECT_EQ(fields_of("a.b", '.'), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(fields_of(".a.", '.'), (std::vector<std::string>{"", "a", ""}));
    EXPECT_EQ(fields_of("", ','), std::vector<std::string>{""});
    EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
    EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Natural, is_digits_alone) {
    EXPECT_EQ(natural("007"), 7);
    EXPECT_EQ(natural("9223372036854775807"), INT64_MAX);
    for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "9223372036854775808"})
        EXPECT_FALSE(natural(text).has_value()) << text;
    EXPECT_TRUE(is_digits("99999999999999999999"));
    EXPECT_FALSE(is_digits(""));
}

}  // namespace
}  // namespace npuscope
