#include "core/base/printable.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/progress.h"

namespace npuscope {
namespace {

TEST(Printable, shows_control_characters_as_hex_and_keeps_utf8) {
    EXPECT_EQ(printable("a\x1b[2J\n\x7f\tb"), "a\\x1b[2J\\x0a\\x7f\\x09b");
    EXPECT_EQ(printable("größe/α"), "größe/α");
    EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(printable(""), "");
}

// U+009B begins a control sequence on terminals with C1, U+202E turns the line around.
TEST(Printable, shows_marks_of_direction_and_what_is_no_utf8_as_hex) {
    EXPECT_EQ(printable("a\u009b2J"), "a\\xc2\\x9b2J");
    EXPECT_EQ(printable("a\u202eb\u2028c\u2066"),
              "a\\xe2\\x80\\xaeb\\xe2\\x80\\xa8c\\xe2\\x81\\xa6");
    EXPECT_EQ(printable("\xff\x9b"
                        "a\xc3"),
              "\\xff\\x9ba\\xc3");
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
    EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b");           // more bytes than it takes
    EXPECT_EQ(printable("\U0001F600 \u4e2d"), "\U0001F600 \u4e2d");
}

TEST(Printable, cuts_long_quotes_between_characters) {
    const std::string text(1000, 'a');
    EXPECT_EQ(in_quotes(text), "'" + text + "'");
    EXPECT_EQ(in_quotes(text + "b"), "'" + text + "…' (1001 bytes)");
    const std::string split = text.substr(1) + "é";
    EXPECT_EQ(in_quotes(split), "'" + text.substr(1) + "…' (1001 bytes)");
}

TEST(Error, gains_context_and_keeps_its_kind) {
    const Error error = Error(ErrorKind::kFormat, "bad header").with_context("a.npy");
    EXPECT_STREQ(error.what(), "a.npy: bad header");
    EXPECT_EQ(error.kind(), ErrorKind::kFormat);
}

TEST(Progress, is_silent_in_a_pipe) {
    ::testing::internal::CaptureStderr();
    {
        Progress progress("working", 3);
        progress.update(1, "op");
        progress.update(3);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace npuscope
