#include "msaccucmp/rules/fusion_rule.h"

#include <sstream>

#include <gtest/gtest.h>

#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/base/failure.h"
#include "msaccucmp/folders/golden_tensor.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

class RuleFile : public testing::Test {
  protected:
    FusionRule merged_quant(const std::string& compiled, const std::string& quant) {
        return FusionRule::merge_quant(read(compiled), read(quant), log_);
    }
    FusionRule merged_closed(const std::string& open, const std::string& closed) {
        return FusionRule::merge_closed(read(open), read(closed), log_);
    }
    FusionRule read(const std::string& ops) {
        return read_text(R"({"graph":[{"op":[)" + ops + "]}]}");
    }
    FusionRule read_text(const std::string& text) {
        test::write_file(temp_ / "rule.json", text);
        return FusionRule::read((temp_ / "rule.json").string(), log_);
    }
    int code_of(const std::string& text) {
        try {
            static_cast<void>(read_text(text));
        } catch (const CommandError& stop) {
            EXPECT_NE(std::string(stop.what()).find("rule.json"), std::string::npos);
            return stop.code();
        }
        return kOk;
    }

    static std::string originals(const std::string& names) {
        return R"("attr":[{"key":"_datadump_original_op_names","value":{"list":{"s":[)" + names +
               "]}}}]";
    }

  private:
    test::TempDir temp_;
    std::ostringstream text_;
    Log log_{text_};
};

TEST_F(RuleFile, without_originals_names_its_ops_themselves) {
    const FusionRule rule = read(R"({"name":"a","type":"Add","id":3,"input":["b:1","c:-1"]})");
    ASSERT_EQ(rule.ops.size(), 1u);
    EXPECT_EQ(rule.ops[0].inputs, (std::vector<std::string>{"b:1"}));
    EXPECT_EQ(rule.ops[0].origin_of(0).op, "a");
    EXPECT_EQ(rule.ops[0].origin_of(2).index, 2);
    EXPECT_EQ(rule.ops[0].producer_of(0).op, "b");
    EXPECT_EQ(rule.ops[0].producer_of(0).index, 1);
    EXPECT_THROW(static_cast<void>(rule.ops[0].producer_of(1)), CompareFailure);
}

TEST_F(RuleFile, groups_ops_by_what_they_stand_for) {
    const FusionRule rule = read(R"({"name":"x","type":"Add",)" + originals(R"("p","q")") + "}," +
                                 R"({"name":"y1","type":"Add",)" + originals(R"("r")") + "}," +
                                 R"({"name":"y2","type":"Add",)" + originals(R"("r")") + "}," +
                                 R"({"name":"z","type":"Add",)" + originals(R"("")") + "}");
    ASSERT_EQ(rule.groups.size(), 3u);
    EXPECT_EQ(rule.relation_of(*rule.group_of("x")), Relation::kMultiToOne);
    EXPECT_EQ(rule.relation_of(*rule.group_of("y2")), Relation::kOneToMulti);
    EXPECT_EQ(rule.relation_of(*rule.group_of("z")), Relation::kOneToOne);
    EXPECT_EQ(rule.op_named("y2").id, 1);
    EXPECT_EQ(names_of(rule, *rule.group_of("y1")).my, "y1,y2");
    EXPECT_EQ(names_of(rule, *rule.group_of("y1")).golden, "r");
}

TEST_F(RuleFile, marks_what_lies_between_quantisations) {
    const FusionRule rule = read(
        R"({"name":"a.quant","type":"AscendQuant","output_desc":[{"dtype":"DT_INT8","attr":[]}]},)"
        R"({"name":"conv","type":"Conv2D","input":["a.quant:0"],"output_desc":[{"dtype":"DT_INT32","attr":[]}]},)"
        R"({"name":"b.dequant","type":"AscendDequant","input":["conv:0"],"output_desc":[{"dtype":"DT_FLOAT16","attr":[]}]},)"
        R"({"name":"relu","type":"Relu","input":["b.dequant:0"],"output_desc":[{"dtype":"DT_FLOAT16","attr":[]}]})");
    EXPECT_FALSE(rule.op_named("a.quant").is_between_quants);
    EXPECT_TRUE(rule.op_named("conv").is_between_quants);
    EXPECT_FALSE(rule.op_named("b.dequant").is_between_quants);
    EXPECT_FALSE(rule.op_named("relu").is_between_quants);
}

TEST_F(RuleFile, is_looked_through_for_casts_but_not_in_a_circle) {
    const FusionRule rule = read(
        R"({"name":"a","type":"Add"},{"name":"c","type":"Cast","input":["a:0"]},)"
        R"({"name":"d","type":"Relu","input":["c:0"]},)"
        R"({"name":"e","type":"Cast","input":["f:0"]},{"name":"f","type":"TransData","input":["e:0"]})");
    EXPECT_EQ(produced_by(rule, rule.op_named("d"), {.index = 0, .is_input = true}).op->name, "a");
    EXPECT_EQ(produced_by(rule, rule.op_named("c"), {.index = 0, .is_input = false}).op->name, "a");
    EXPECT_THROW(
        static_cast<void>(produced_by(rule, rule.op_named("e"), {.index = 0, .is_input = false})),
        CompareFailure);
}

// The original tool compares both of these with the golden as NCHW.
TEST_F(RuleFile, merged_with_one_of_quantisation_shares_a_layout_among_ops_of_an_output) {
    const std::string output = R"("output_desc":[{"dtype":"DT_FLOAT16","attr":[)"
                               R"({"key":"_datadump_origin_name","value":{"s":"a"}},)"
                               R"({"key":"_datadump_origin_output_index","value":{"i":0}})";
    const std::string format = R"(,{"key":"_datadump_origin_format","value":{"s":"NCHW"}})";
    const std::string plain = R"(,"type":"Relu",)" + originals(R"("a")") + "," + output;
    const FusionRule rule =
        merged_quant(R"({"name":"x")" + plain + R"(]}]},{"name":"y")" + plain + format + "]}]}",
                     R"({"name":"a")" + plain + "]}]}");
    ASSERT_EQ(rule.ops.size(), 2u);
    EXPECT_EQ(rule.op_named("x").origin_of(0).format, "NCHW");
    EXPECT_EQ(rule.op_named("y").origin_of(0).format, "NCHW");
}

// The original tool: There is no "y1" in the fusion rule file.
TEST_F(RuleFile, merged_with_one_without_fusion_finds_only_the_last_op_of_a_group) {
    const std::string same = R"(,"type":"Add",)" + originals(R"("p","q")") + "}";
    const FusionRule rule =
        merged_closed(R"({"name":"y1")" + same + R"(,{"name":"y2")" + same,
                      R"({"name":"c","type":"Add",)" + originals(R"("p")") + "}");
    ASSERT_EQ(rule.groups.size(), 1u);
    ASSERT_EQ(rule.ops.size(), 1u);
    EXPECT_EQ(rule.ops[0].name, "y1");
    EXPECT_EQ(rule.group_of("y1"), nullptr);
    ASSERT_NE(rule.group_of("y2"), nullptr);
    EXPECT_EQ(names_of(rule, *rule.group_of("y2")).my, "y1");
    EXPECT_EQ(names_of(rule, *rule.group_of("y2")).golden, "c");
}

TEST_F(RuleFile, rejects_other_json) {
    for (const char* text : {"",
                             "{",
                             "[]",
                             "{}",
                             R"({"graph":1})",
                             R"({"graph":[{}]})",
                             R"({"graph":[{"op":[{"type":"Add"}]}]})",
                             R"({"graph":[{"op":[{"name":1,"type":"Add"}]}]})",
                             R"({"graph":[{"op":[{"name":"a","type":"Add","id":"1"}]}]})",
                             R"({"graph":[{"op":[{"name":"a","type":"Add","input":[1]}]}]})",
                             R"({"graph":[{"op":[{"name":"a","type":"Add","attr":{}}]}]})",
                             R"({"graph":[{"op":["a"]}]})"})
        EXPECT_EQ(code_of(text), kParseJsonError) << text;
}

}  // namespace
}  // namespace npuscope::msaccucmp
