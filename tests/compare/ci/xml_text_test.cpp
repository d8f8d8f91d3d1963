#include "compare/ci/xml_text.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

TEST(XmlText, escapes_what_is_markup) {
    EXPECT_EQ(xml_text("a<b> & \"c\"\n\t"), "a&lt;b&gt; &amp; &quot;c&quot;&#10;&#9;");
    EXPECT_EQ(xml_text("Grün 温 \U0001F600"), "Grün 温 \U0001F600");
}

TEST(XmlText, replaces_what_xml_cannot_hold) {
    const std::string none = "\xEF\xBF\xBD";
    EXPECT_EQ(xml_text(std::string("a\0b", 3)), "a" + none + "b");
    EXPECT_EQ(xml_text("\x1b[31m"), none + "[31m");
    // A lone byte, a cut character, an overlong form, a surrogate, beyond the last character.
    EXPECT_EQ(xml_text("\x80"), none);
    EXPECT_EQ(xml_text("\xE6\xB8"), none + none);
    EXPECT_EQ(xml_text("\xC0\xAF"), none + none);
    EXPECT_EQ(xml_text("\xED\xA0\x80"), none + none + none);
    EXPECT_EQ(xml_text("\xF4\x90\x80\x80"), none + none + none + none);
    EXPECT_EQ(xml_text("\xEF\xBF\xBF"), none + none + none);
}

}  // namespace
}  // namespace npuscope::compare
