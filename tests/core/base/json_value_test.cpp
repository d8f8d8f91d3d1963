#include "core/base/json_value.h"

#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace npuscope {
namespace {

TEST(JsonValue, writes_what_is_no_number_of_json_as_text) {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    EXPECT_EQ(number_json(0.5).dump(), "0.5");
    EXPECT_EQ(number_json(std::numeric_limits<double>::quiet_NaN()).dump(), "\"nan\"");
    EXPECT_EQ(number_json(kInfinite).dump(), "\"inf\"");
    EXPECT_EQ(number_json(-kInfinite).dump(), "\"-inf\"");
    EXPECT_EQ(number_json(std::optional<double>()).dump(), "null");
}

TEST(JsonValue, has_null_for_an_empty_text) {
    EXPECT_EQ(text_or_null("").dump(), "null");
    EXPECT_EQ(text_or_null("a").dump(), "\"a\"");
}

TEST(JsonValue, reads_a_text_where_there_is_one) {
    const nlohmann::json object = {{"name", "a"}, {"size", 1}};
    EXPECT_EQ(text_at(object, "name"), "a");
    EXPECT_EQ(text_at(object, "size"), "");
    EXPECT_EQ(text_at(object, "other"), "");
    EXPECT_EQ(text_at(nlohmann::ordered_json::array(), "name"), "");
}

TEST(JsonText, replaces_bytes_that_are_no_utf8) {
    const nlohmann::ordered_json value = {{"name", "a\xff"}};
    EXPECT_EQ(json_text(value, -1), "{\"name\":\"a\xEF\xBF\xBD\"}");
    EXPECT_EQ(json_text(nlohmann::json(value), 1), "{\n \"name\": \"a\xEF\xBF\xBD\"\n}");
}

}  // namespace
}  // namespace npuscope
