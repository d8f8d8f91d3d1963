#include "ir_tbe_map/acl_config.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope::ir_tbe_map {
namespace {

AclConfig parse(const std::string& text) {
    return parse_acl_config(text, "acl.json");
}

std::string error_of(const std::string& text) {
    try {
        parse(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

std::string dump(const std::string& fields) {
    return R"({"dump": {"dump_path": "out", )" + fields + "}}";
}

TEST(AclConfig, has_the_defaults_of_the_manual) {
    const AclConfig config = parse(R"({"dump": {"dump_path": "/abs/out"}})");
    EXPECT_EQ(config.dump_path, "/abs/out");
    EXPECT_EQ(config.mode, DumpMode::kOutput);
    EXPECT_FALSE(config.op_switch);
    EXPECT_FALSE(config.debug);
    EXPECT_EQ(config.data, DumpData::kTensor);
    EXPECT_EQ(config.level, DumpLevel::kAll);
    EXPECT_TRUE(config.has_step(7));
    ASSERT_TRUE(config.selections("any"));
    EXPECT_TRUE(config.selections("any")->empty());
}

TEST(AclConfig, reads_every_field) {
    const AclConfig config = parse(R"({"dump": {
        "dump_path": "rel/out", "dump_mode": "all", "dump_debug": "on", "dump_data": "stats",
        "dump_stats": ["Max", "L2norm"], "dump_level": "op", "dump_step": "0|3-5|10",
        "dump_list": [{"model_name": "net", "layer": ["conv1"],
                       "optype_blacklist": [{"name": "Cast", "pos": ["input0", "output0"]}],
                       "opname_blacklist": [{"name": "conv2"}],
                       "opname_range": [{"begin": "a", "end": "b"}]}]}})");
    EXPECT_EQ(config.mode, DumpMode::kAll);
    EXPECT_TRUE(config.debug);
    EXPECT_EQ(config.data, DumpData::kStats);
    EXPECT_EQ(config.stats, (std::vector<std::string>{"Max", "L2norm"}));
    EXPECT_EQ(config.level, DumpLevel::kOperator);
    for (const int64_t step : {0, 3, 4, 5, 10})
        EXPECT_TRUE(config.has_step(step)) << step;
    for (const int64_t step : {1, 2, 6, 11})
        EXPECT_FALSE(config.has_step(step)) << step;
    ASSERT_TRUE(config.selections("net"));
    EXPECT_EQ(config.selections("net")->front()->types[0].positions.size(), 2u);
    EXPECT_FALSE(config.selections("other"));
}

TEST(AclConfig, shows_the_guides_example_mended) {
    const std::string message = error_of(
        "{\n    \"dump\":\n\t    {\n            \"dump_list\":[]\n"
        "            \"dump_path\":\"./output_IR2TBE\"# Mapping result output path\n"
        "            \"dump_mode\":\"all\"\n            \"dump_op_switch\":\"on\"\n\t    }\n\n}\n");
    EXPECT_EQ(message,
              "'acl.json' is no JSON near line 5 (JSON knows no comments and wants a comma between "
              "two fields); write: "
              R"({"dump":{"dump_list":[],"dump_path":"./output_IR2TBE","dump_mode":"all",)"
              R"("dump_op_switch":"on"}})");
}

TEST(AclConfig, shows_the_guides_other_example_with_its_missing_bracket) {
    const std::string message = error_of("{\n \"dump\":\n {\n \"dump_path\":\"/home/a\",\n }\n");
    EXPECT_NE(message.find(R"(write: {"dump":{"dump_path":"/home/a"}})"), std::string::npos)
        << message;
}

TEST(AclConfig, keeps_what_looks_like_a_comment_inside_a_text) {
    EXPECT_EQ(mended_json("{\"a\": \"b # c // \\\" d\" \"e\": 1,}"),
              R"({"a":"b # c // \" d","e":1})");
    EXPECT_EQ(mended_json("nothing at all"), "");
    EXPECT_EQ(mended_json("{\"a\": /* two */ [1 2]"), R"({"a":[1,2]})");
}

TEST(AclConfig, rejects_deep_nesting_whether_closed_or_not) {
    const std::string open = "{\"dump\": " + std::string(200'000, '[');
    EXPECT_EQ(mended_json(open), "");
    EXPECT_EQ(error_of(open),
              "'acl.json' is no acl.json: it is nested more than 100 deep; see "
              "docs/kernel_dumps.md for an example");
    EXPECT_EQ(error_of(open + std::string(200'000, ']') + "}"), error_of(open));
}

TEST(AclConfig, rejects_what_it_does_not_know_by_name) {
    EXPECT_EQ(error_of(dump(R"("dump_mode": "both")")),
              "'acl.json': dump_mode is 'both', but must be one of output, input, all");
    EXPECT_NE(
        error_of(dump(R"("dump_layer": "x")")).find("no key 'dump_layer'; there are dump_path"),
        std::string::npos);
    EXPECT_NE(error_of(dump(R"("dump_op_switch": true)")).find("dump_op_switch must be a text"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"dump": {}})").find("dump_path is missing"), std::string::npos);
    EXPECT_NE(error_of(R"({"other": {}})").find("no object \"dump\""), std::string::npos);
    EXPECT_NE(error_of(R"({"dump": {"dump_path": "10.1.2.3:/x"}})").find("another machine"),
              std::string::npos);
    EXPECT_NE(error_of(dump(R"("dump_stats": ["Max"])")).find("needs \"dump_data\": \"stats\""),
              std::string::npos);
    EXPECT_NE(error_of(dump(R"("dump_scene": "never")")).find("lite_exception"), std::string::npos);
}

TEST(AclConfig, rejects_bad_steps) {
    for (const char* steps : {"a", "3-", "-3", "1||2", "1.5", "99999999999999999999"})
        EXPECT_NE(error_of(dump(R"("dump_step": ")" + std::string(steps) + "\"")).find("0|3-5|10"),
                  std::string::npos)
            << steps;
    EXPECT_NE(error_of(dump(R"("dump_step": "5-3")")).find("ends before it begins"),
              std::string::npos);
}

TEST(AclConfig, rejects_settings_that_exclude_each_other) {
    EXPECT_NE(error_of(dump(R"("dump_debug": "on", "dump_op_switch": "on")")).find("both be on"),
              std::string::npos);
    EXPECT_NE(error_of(dump(R"("dump_list": [{"opname_blacklist": [{"name": "a"}]}])"))
                  .find("\"dump_level\": \"op\""),
              std::string::npos);
    EXPECT_NE(error_of(dump(R"("dump_level": "op", "dump_list": [{"opname_range": [{"begin": "a",
                               "end": "b"}]}])"))
                  .find("needs a model_name"),
              std::string::npos);
}

TEST(AclConfig, says_what_has_no_effect) {
    const AclConfig config = parse(dump(R"("dump_scene": "watcher", "dump_kernel_data": "all")"));
    EXPECT_EQ(config.remarks.size(), 2u);
}

TEST(AclConfig, rejects_a_missing_file) {
    EXPECT_THROW((void)read_acl_config("/nowhere/acl.json"), Error);
}

}  // namespace
}  // namespace npuscope::ir_tbe_map
