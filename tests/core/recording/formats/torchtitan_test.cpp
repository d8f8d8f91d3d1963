#include <cmath>

#include <gtest/gtest.h>

#include "core/recording/formats/format.h"
#include "tests/core/recording/formats/open_problem.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

const std::string kActivations =
    "Total captured activations: 3\n"
    "Excluded ops dispatched: detach, view\n"
    "================================================================================\n\n"
    "[layers.0.wq/op_0_mm]\n"
    "  Shape: torch.Size([2, 3]), Dtype: torch.bfloat16\n"
    "  L2 norm: 2.000000e+00\n"
    "  Min: -1.000000e+00\n"
    "  Max: 1.500000e+00\n"
    "  Mean: 2.500000e-01\n"
    "  Output hash: 4.000000e+00\n"
    "  Input hashes: 9.000000e+00, 8.000000e+00\n"
    "  Location: models/llama.py:12\n\n"
    "[layers.0.wq/op_1_exp]\n"
    "  Shape: torch.Size([]), Dtype: torch.float32\n"
    "  L2 norm: inf\n"
    "  Min: inf\n"
    "  Max: inf\n"
    "  Mean: inf\n"
    "  Output hash: inf\n"
    "  Input hashes: 4.000000e+00, 1.000000e+00\n"
    "  Input producers: layers.0.wq/op_0_mm; \n\n"
    "[op_2__fused_adam_]\n"
    "  Input hashes: inf\n"
    "  Phase: backward\n\n";

TEST(TorchtitanFormat, tells_statistics_modules_lines_and_what_came_from_where) {
    const test::TempDir folder;
    test::write_file(folder / "rank_0_activations.log", kActivations);
    EXPECT_EQ(format_of(folder / "rank_0_activations.log"), &k_torchtitan_format);
    const Source source = open_source(folder / "rank_0_activations.log");
    ASSERT_EQ(source.ops.size(), 3u);
    EXPECT_EQ(source.ops[0].path, "layers.0.wq/op_0_mm");
    EXPECT_EQ(source.ops[0].place().module, "layers.0.wq");
    EXPECT_EQ(source.ops[0].place().line, "models/llama.py:12");
    EXPECT_EQ(source.ops[2].place().autograd, "backward");
    const auto first = source.ops[0].load();
    ASSERT_EQ(first.size(), 1u);  // its inputs come from no op before it
    EXPECT_EQ(first[0].dtype, "bfloat16");
    EXPECT_EQ(first[0].shape, (Shape{2, 3}));
    EXPECT_EQ(first[0].statistics->max, 1.5);
    EXPECT_EQ(first[0].statistics->norm, 2);
    const auto second = source.ops[1].load();
    ASSERT_EQ(second.size(), 2u);
    EXPECT_EQ(second[0].direction, dumpfile::Direction::kInput);
    EXPECT_EQ(second[0].shape, (Shape{2, 3}));
    EXPECT_EQ(second[1].shape, Shape{});
    // In place: no result of its own, an input that the hash tells.
    ASSERT_EQ(source.ops[2].load().size(), 1u);
    EXPECT_TRUE(std::isinf(*source.ops[2].load()[0].statistics->max));
}

TEST(TorchtitanFormat, rejects_a_log_that_is_cut_short_or_written_otherwise) {
    const test::TempDir folder;
    const auto problem = [&](const std::string& text) -> std::string {
        test::write_file(folder / "a.log", text);
        return test::open_problem(folder / "a.log");
    };
    EXPECT_NE(problem(kActivations.substr(0, 400)).find("is it cut short?"), std::string::npos);
    EXPECT_NE(problem("Total captured activations: many\n").find("first line"), std::string::npos);
    for (const char* shape : {"torch.Size([2, -3]), Dtype: torch.float32",
                              "torch.Size, Dtype: torch.float32",
                              "torch.Size([2])",
                              "torch.Size([4611686018427387904, 4]), Dtype: torch.float32"})
        EXPECT_NE(
            problem("Total captured activations: 1\n\n[a]\n  Shape: " + std::string(shape) + "\n"),
            "")
            << shape;
}

}  // namespace
}  // namespace npuscope
