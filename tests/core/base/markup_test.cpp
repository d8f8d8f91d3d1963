#include "core/base/markup.h"

#include <gtest/gtest.h>

namespace npuscope {
namespace {

TEST(Markup, is_text_whatever_it_holds) {
    EXPECT_EQ(html_text("<a href='x'>\"&\"</a>"), "&lt;a href='x'&gt;&quot;&amp;&quot;&lt;/a&gt;");
    EXPECT_EQ(html_text("温\x1b\n\xff"), "温\\x1b\\x0a\\xff");
    EXPECT_EQ(entity('a'), "");
}

}  // namespace
}  // namespace npuscope
