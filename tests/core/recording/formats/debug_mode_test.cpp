#include <cmath>

#include <gtest/gtest.h>

#include "core/recording/formats/call_text.h"
#include "core/recording/formats/format.h"
#include "tests/core/recording/formats/open_problem.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

// The text of PyTorch's own example of a product of two distributed tensors, and lines with a
// stack, modules, keywords, lists and hashes.
const std::string kLog =
    "  [nn.Mod] Net\n"
    "    # File: net.py:12 in forward, code: return x @ w\n"
    "    torch.mm(dt$0: f32[8, 8]| S(0), dt$1: f32[8, 32]| S(0))  ->  dt$6: f32[8, 32]| S(0)\n"
    "      aten::mm(dt$0: f32[8, 8]| S(0), dt$1: f32[8, 32]| S(0))\n"
    "        redistribute_input(1, S(0) -> R)\n"
    "          redistribute_input(t$2: f32[1, 32], trace: S(0)->R)\n"
    "            _c10d_functional::all_gather_into_tensor(t$2: f32[1, 32], 8, 0)  ->  t$3: f32[8, "
    "32]\n"
    "        aten::mm(t$4: f32[1, 8], t$3: f32[8, 32])  ->  t$5: f32[1, 32]\n"
    "    [nn.Mod] Net.act\n"
    "      aten::add.Tensor(t: bf16[4], t: bf16[4], alpha=2)  ->  t: bf16[4]  # {'hash': 12.5, "
    "'input_hash': ((3.0, nan), {'alpha': None})}\n"
    "    aten::cat(['t: f32[2]', 't: f32[0]'], 1)  ->  ('t: f32[2]', 't: i64[]')\n";

TEST(DebugModeFormat, gives_the_innermost_calls_with_modules_and_lines) {
    const test::TempDir folder;
    test::write_file(folder / "a.log", kLog);
    EXPECT_EQ(format_of(folder / "a.log"), &k_debug_mode_format);
    const Source source = open_source(folder / "a.log");
    std::vector<std::string> paths;
    for (const SourceOp& op : source.ops)
        paths.push_back(op.path);
    EXPECT_EQ(
        paths,
        (std::vector<std::string>{
            "/_c10d_functional_all_gather_into_tensor/1", "/mm/2", "/add_Tensor/3", "/cat/4"}));
    EXPECT_TRUE(source.numbered);
    EXPECT_EQ(source.ops[1].place().module, "Net");
    EXPECT_EQ(source.ops[1].place().line, "net.py:12");
    EXPECT_EQ(source.ops[2].place().module, "Net.act");
    const auto mm = source.ops[1].load();
    ASSERT_EQ(mm.size(), 3u);
    EXPECT_EQ(mm[0].path, "/mm/2/input/0");
    EXPECT_EQ(mm[2].path, "/mm/2/output/0");
    EXPECT_EQ(mm[2].shape, (Shape{1, 32}));
}

TEST(DebugModeCall, reads_hashes_lists_and_arguments) {
    const auto add = parse_call(
        "aten::add.Tensor(t: bf16[4], t: bf16[4], alpha=2)  ->  t: bf16[4]  # {'hash': 12.5, "
        "'input_hash': ((3.0, nan), {'alpha': None})}");
    ASSERT_TRUE(add);
    EXPECT_EQ(add->name, "aten::add.Tensor");
    ASSERT_EQ(add->inputs.size(), 2u);
    EXPECT_EQ(add->inputs[0].dtype, "bfloat16");
    EXPECT_EQ(add->inputs[0].statistics->l1, 3);
    EXPECT_TRUE(std::isnan(*add->inputs[1].statistics->l1));
    EXPECT_EQ(add->outputs[0].statistics->l1, 12.5);
    ASSERT_EQ(add->arguments.size(), 1u);
    EXPECT_EQ(add->arguments[0].name, "alpha");
    EXPECT_EQ(add->arguments[0].numbers, std::vector<double>{2});

    const auto cat =
        parse_call("aten::cat(['t: f32[2]', 't: f32[0]'], 1)  ->  ('t: f32[2]', 't: i64[]')");
    ASSERT_TRUE(cat);
    ASSERT_EQ(cat->inputs.size(), 2u);
    EXPECT_EQ(cat->inputs[1].argument, "0.1");
    EXPECT_EQ(cat->inputs[1].shape, Shape{0});
    ASSERT_EQ(cat->outputs.size(), 2u);
    EXPECT_EQ(cat->outputs[1].dtype, "int64");
    EXPECT_EQ(cat->outputs[1].shape, Shape{});
    EXPECT_EQ(cat->arguments[0].numbers, std::vector<double>{1});
}

TEST(DebugModeCall, takes_no_name_that_ends_in_t_for_a_tensor) {
    const auto call = parse_call("f(input: f32[2], x='a, b (c')");
    ASSERT_TRUE(call);
    EXPECT_TRUE(call->inputs.empty());
    EXPECT_EQ(call->arguments.at(1).text, "'a, b (c'");
    EXPECT_FALSE(parse_call("no call"));
    EXPECT_FALSE(parse_call(")("));
}

TEST(DebugModeCall, survives_lines_of_hostile_length) {
    std::string text = "f(";
    for (int i = 0; i < 200000; ++i)
        text += "t: ";
    EXPECT_TRUE(parse_call(text + "f32[99999999999999999999])"));
    EXPECT_TRUE(parse_call("f(" + std::string(1000000, '[') + ")"));
}

TEST(DebugModeFormat, rejects_a_text_without_calls) {
    const test::TempDir folder;
    test::write_file(folder / "a.txt", "step 1 loss 2.5\nmean(loss) 2\nx\x01y(t: f32[2])\n");
    EXPECT_NE(test::open_problem(folder / "a.txt").find("it has no line of an op"),
              std::string::npos);
}

}  // namespace
}  // namespace npuscope
