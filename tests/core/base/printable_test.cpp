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
