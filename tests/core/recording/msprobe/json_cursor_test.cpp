#include "core/recording/msprobe/json_cursor.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::msprobe {
namespace {

TEST(JsonCursor, walks_objects_and_lists_in_their_order) {
    JsonCursor cursor(R"( {"b": [1, -2.5e1 , []], "a" : {}, "c": "x\"y\\"} )");
    std::string_view key;
    cursor.enter_object();
    ASSERT_TRUE(cursor.next_key(key));
    EXPECT_EQ(key, "b");
    cursor.enter_array();
    ASSERT_TRUE(cursor.next_item());
    EXPECT_EQ(cursor.number(), 1);
    ASSERT_TRUE(cursor.next_item());
    EXPECT_EQ(cursor.number(), -25);
    ASSERT_TRUE(cursor.next_item());
    EXPECT_EQ(cursor.skip(), "[]");
    EXPECT_FALSE(cursor.next_item());
    ASSERT_TRUE(cursor.next_key(key));
    EXPECT_EQ(key, "a");
    EXPECT_EQ(cursor.skip(), "{}");
    ASSERT_TRUE(cursor.next_key(key));
    EXPECT_EQ(unescaped(cursor.string()), "x\"y\\");
    EXPECT_FALSE(cursor.next_key(key));
    cursor.require_end();
}

TEST(JsonCursor, reads_the_numbers_that_python_writes) {
    EXPECT_TRUE(std::isnan(JsonCursor("NaN").number()));
    EXPECT_EQ(JsonCursor("Infinity").number(), INFINITY);
    EXPECT_EQ(JsonCursor("-Infinity").number(), -INFINITY);
    EXPECT_EQ(JsonCursor("-1e999").number(), -INFINITY);
    EXPECT_EQ(JsonCursor("0.1").number(), 0.1);
    EXPECT_EQ(JsonCursor("123456789012345").number(), 123456789012345.0);
    EXPECT_EQ(JsonCursor("1234567890123456789").number(), 1234567890123456789.0);
    EXPECT_EQ(JsonCursor("12e3").number(), 12000);
}

TEST(JsonCursor, turns_escapes_into_bytes) {
    EXPECT_EQ(unescaped(R"(a\n\u00e9\ud83d\ude00\/\"\\)"), "a\n\xc3\xa9\xf0\x9f\x98\x80/\"\\");
    EXPECT_EQ(unescaped(R"(\ud800x\uzz)"), "\xef\xbf\xbdx\xef\xbf\xbd");
}

TEST(JsonCursor, skips_brackets_inside_texts) {
    JsonCursor cursor(R"([{"a": "]}\\", "b": "\"]"}] 7)");
    EXPECT_EQ(cursor.skip(), R"([{"a": "]}\\", "b": "\"]"}])");
    EXPECT_EQ(cursor.number(), 7);
}

std::string refusal(std::string_view text) {
    try {
        JsonCursor cursor(text, 100);
        cursor.enter_object();
        std::string_view key;
        while (cursor.next_key(key)) {
            if (cursor.peek() == '[')
                cursor.skip();
            else
                static_cast<void>(cursor.number());
        }
        cursor.require_end();
        return "";
    } catch (const Error& failure) {
        EXPECT_EQ(failure.kind(), ErrorKind::kFormat);
        return failure.what();
    }
}

TEST(JsonCursor, rejects_damage_in_one_line_with_its_place) {
    EXPECT_EQ(refusal(R"({"a": 1})"), "");
    EXPECT_EQ(refusal(R"({"a": 1)"), "its JSON is damaged at byte 107: it breaks off");
    for (const std::string text : {"",
                                   "[",
                                   R"({"a" 1})",
                                   R"({"a": 1 "b": 2})",
                                   R"({"a": })",
                                   R"({"a": -})",
                                   R"({"a": inf})",
                                   R"({"a)",
                                   R"({"a": [)",
                                   R"({"a": 1} x)"})
        EXPECT_TRUE(refusal(text).starts_with("its JSON is damaged at byte 1")) << text;
    EXPECT_NE(refusal(R"({"a": )" + std::string(100000, '[')).find("nested too deep"),
              std::string::npos);
}

}  // namespace
}  // namespace npuscope::msprobe
