#include "core/base/parse_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace npuscope {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

std::string nested(size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, gives_the_value_in_the_order_asked_for) {
    const std::string text = R"({"b": [1, 2.5, null, true], "a": "text"})";
    EXPECT_EQ(parse_json<json>(text).dump(), R"({"a":"text","b":[1,2.5,null,true]})");
    EXPECT_EQ(parse_json<ordered_json>(text).dump(), R"({"b":[1,2.5,null,true],"a":"text"})");
    EXPECT_EQ(json_problem(text).reason, "");
}

TEST(ParseJson, discards_what_is_no_json_and_tells_where) {
    EXPECT_TRUE(parse_json<json>("").is_discarded());
    EXPECT_TRUE(parse_json<ordered_json>("[1 2]").is_discarded());
    EXPECT_EQ(json_problem("[1 2]").byte, 4U);
    EXPECT_FALSE(json_problem("[1 2]").is_too_deep);
    EXPECT_NE(json_problem("[1e999]").reason, "");
    for (const char* text : {"[1 2]", "[1e999]", ""})
        EXPECT_EQ(json_problem(text).reason.find("json.exception"), std::string::npos) << text;
}

TEST(ParseJson, discards_what_is_nested_too_deeply) {
    EXPECT_TRUE(parse_json<json>(nested(100)).is_array());
    EXPECT_TRUE(parse_json<json>(nested(101)).is_discarded());
    EXPECT_TRUE(parse_json<ordered_json>(nested(101)).is_discarded());
    EXPECT_TRUE(parse_json<json>(nested(3), 2).is_discarded());
    EXPECT_TRUE(parse_json<json>(std::string(1 << 20, '[')).is_discarded());
    EXPECT_TRUE(json_problem(nested(101)).is_too_deep);
    EXPECT_EQ(json_problem(nested(101)).byte, 100U);
}

TEST(ParseJson, discards_what_has_too_many_values) {
    const std::string many(kMostJsonValues, ',');
    EXPECT_EQ(json_problem(many).reason, "it has more than 33554432 values");
    EXPECT_FALSE(json_problem(many).is_too_deep);
    EXPECT_EQ(json_problem(many).byte, kMostJsonValues - 1);
    EXPECT_TRUE(parse_json<json>(many).is_discarded());
    const std::string text = '"' + many + '"';
    EXPECT_TRUE(parse_json<json>(text).is_string());
}

TEST(ParseJson, counts_no_brackets_inside_texts_and_none_twice) {
    const std::string brackets = R"(["a\"[[[", "\\", "{{{", [], [], {}])";
    EXPECT_TRUE(parse_json<json>(brackets, 2).is_array());
    EXPECT_TRUE(parse_json<json>(brackets, 1).is_discarded());
}

}  // namespace
}  // namespace npuscope
