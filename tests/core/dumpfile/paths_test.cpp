#include "core/dumpfile/paths.h"

#include <gtest/gtest.h>

#include "core/dumpfile/facts.h"
#include "core/dumpfile/layout.h"

namespace npuscope::dumpfile {
namespace {

TEST(DumpPath, is_normalised) {
    EXPECT_EQ(normalised_path("/op/7/"), "/op/7");
    EXPECT_EQ(normalised_path("op//7"), "/op/7");
    EXPECT_EQ(normalised_path(""), "/");
    EXPECT_EQ(normalised_path("///"), "/");
}

TEST(DumpPath, names_an_op_and_its_run) {
    EXPECT_EQ(parse_op_path("/addmm/12/input/self"), (OpId{"addmm", 12}));
    EXPECT_EQ(parse_op_path("/addmm/12"), (OpId{"addmm", 12}));
    for (const char* path : {"", "/", "addmm/1", "/addmm", "/addmm/", "/addmm/x", "//1", "/a/-1"})
        EXPECT_FALSE(parse_op_path(path)) << path;
}

TEST(DumpPath, seqid_is_decimal_digits_only) {
    EXPECT_EQ(parse_seqid("0"), 0);
    EXPECT_EQ(parse_seqid("9223372036854775807"), INT64_MAX);
    for (const char* text : {"", " 1", "1 ", "+1", "-1", "1.0", "0x1", "9223372036854775808"})
        EXPECT_FALSE(parse_seqid(text)) << text;
}

TEST(DumpPath, component_has_no_slash) {
    EXPECT_EQ(safe_component("a/b"), "a_b");
    EXPECT_EQ(safe_component(".."), "_..");
    EXPECT_EQ(safe_component(""), "_");
    EXPECT_EQ(safe_component(std::string_view("a\0b", 3)), "a_b");
}

TEST(OpFacts, are_read_tolerantly) {
    const OpFacts facts = parse_facts(
        R"({"node":"n","module":3,"kernels":["A",1,"B"],"status":{"bits":32,"overflow":true}})");
    EXPECT_EQ(facts.source.node, "n");
    EXPECT_EQ(facts.source.module, "");
    EXPECT_EQ(facts.kernels, (std::vector<std::string>{"A", "B"}));
    EXPECT_TRUE(facts.overflow);
    ASSERT_TRUE(facts.status);
    EXPECT_EQ(facts.status->bits, 32U);
    for (const char* text : {"", "no json", "[]", "{}", R"({"status":3})", R"({"status":{}})"})
        EXPECT_FALSE(parse_facts(text).status) << text;
}

TEST(OpFacts, come_back_from_the_text_that_is_written) {
    OpFacts facts;
    EXPECT_EQ(to_json(facts), "");
    facts.source = {.node = "n",
                    .module = "m",
                    .line = "a.py:3",
                    .autograd = "AddBackward0",
                    .fallback = "no row",
                    .thread = 2,
                    .step = 0};
    facts.kernels = {"Cast", "Add"};
    facts.status = FloatStatus{.bits = 32};
    facts.overflow = true;
    facts.golden = "/add/3";
    facts.by_alias = true;
    facts.strides["input/self"] = {1, 2};
    facts.words["approximate"] = "tanh";
    const std::string text = to_json(facts);
    EXPECT_EQ(text,
              R"({"node":"n","module":"m","line":"a.py:3","autograd":"AddBackward0",)"
              R"("fallback":"no row","thread":2,"step":0,"kernels":["Cast","Add"],)"
              R"("status":{"bits":32,"overflow":true},"golden":"/add/3","alias":true,)"
              R"("strides":{"input/self":[1,2]},"words":{"approximate":"tanh"}})");
    EXPECT_EQ(to_json(parse_facts(text)), text);
}

TEST(OpFacts, take_the_overflow_from_the_bits_where_it_is_not_told) {
    EXPECT_TRUE(parse_facts(R"({"status":{"bits":32}})").overflow);
    EXPECT_FALSE(parse_facts(R"({"status":{"bits":64}})").overflow);
    EXPECT_FALSE(parse_facts(R"({"status":{"bits":32,"overflow":false}})").overflow);
}

TEST(OpFacts, tell_strides_that_can_be_some) {
    const OpFacts facts = parse_facts(
        R"({"strides":{"input/a":[1,4],"input/b":[-1],"input/c":["1"],"input/d":[],"input/e":7,)"
        R"("input/f":[0,18446744073709551615],"input/g":[0]}})");
    EXPECT_EQ(facts.strides,
              (std::map<std::string, std::vector<int64_t>>{{"input/a", {1, 4}}, {"input/g", {0}}}));
    EXPECT_TRUE(parse_facts(R"({"strides":[1]})").strides.empty());
}

TEST(OpFacts, tell_words_that_are_some) {
    EXPECT_EQ(parse_facts(R"({"words":{"mode":"max","side":3}})").words,
              (std::map<std::string, std::string>{{"mode", "max"}}));
    EXPECT_TRUE(parse_facts(R"({"words":["max"]})").words.empty());
}

TEST(OpFacts, tell_statistics_as_they_were_written) {
    OpFacts facts;
    TensorFacts tensor{.dtype = DType::kBFloat16, .shape = {2, 3}, .statistics = {}};
    tensor.statistics = {.count = 6,
                         .finite = 4,
                         .nan = 1,
                         .negative_inf = 1,
                         .zero = 2,
                         .min = -0.1,
                         .max = 3e38,
                         .mean = 1.0 / 3,
                         .deviation = 2};
    facts.statistics = {{"output/result", tensor}, {"input/self", {.shape = {}, .statistics = {}}}};
    const std::string text = to_json(facts);
    const OpFacts read = parse_facts(text);
    ASSERT_TRUE(read.statistics);
    ASSERT_EQ(read.statistics->size(), 2u);
    EXPECT_EQ(read.statistics->front().first, "output/result") << "in their order";
    EXPECT_EQ(read.statistics->front().second.dtype, DType::kBFloat16);
    EXPECT_EQ(read.statistics->front().second.shape, (Shape{2, 3}));
    EXPECT_EQ(read.statistics->front().second.statistics.mean, 1.0 / 3);
    EXPECT_EQ(to_json(read), text);
    EXPECT_FALSE(parse_facts("{}").statistics);
}

TEST(OpFacts, leave_out_statistics_that_are_none) {
    const std::string sound =
        R"("shape":[1],"count":1,"finite":1,"nan":0,"positive_inf":0,"negative_inf":0,"zero":0,)"
        R"("min":1,"max":1,"mean":1,"deviation":0)";
    const auto rows = [&](const std::string& row) {
        return parse_facts(R"({"statistics":{"input/self":{)" + row + "}}}").statistics->size();
    };
    EXPECT_EQ(rows(R"("dtype":"float32",)" + sound), 1u);
    EXPECT_EQ(rows(sound), 0u);
    EXPECT_EQ(rows(R"("dtype":"what",)" + sound), 0u);
    for (const auto& [from, to] : {std::pair("[1]", "[-1]"),
                                   {"[1]", "1"},
                                   {R"("count":1)", R"("count":-1)"},
                                   {R"("nan":0)", R"("nan":0.5)"},
                                   {R"("mean":1)", R"("mean":"1")"},
                                   {R"("max":1,)", ""}}) {
        std::string broken = sound;
        broken.replace(broken.find(from), std::string_view(from).size(), to);
        EXPECT_EQ(rows(R"("dtype":"float32",)" + broken), 0u) << broken;
    }
    EXPECT_FALSE(parse_facts(R"({"statistics":[1]})").statistics);
}

}  // namespace
}  // namespace npuscope::dumpfile
