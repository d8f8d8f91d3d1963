#include "compare/compare.h"

#include <gtest/gtest.h>

#include "compare/files.h"
#include "core/base/error.h"
#include "core/npz/npy.h"
#include "tests/compare/dumps.h"
#include "tests/support/support.h"

namespace npuscope::compare {
namespace {

using test::TempDir;

class CompareDumps : public testing::Test {
  protected:
    Result compared(const std::vector<DumpedOp>& target,
                    const std::vector<DumpedOp>& golden,
                    const Options& options = {}) {
        write_dump(folder_ / "t.h5", target);
        write_dump(folder_ / "g.h5", golden, dumpfile::kDeviceCpu);
        return compare_files(folder_ / "t.h5", folder_ / "g.h5", PrecisionBounds(), options);
    }

    TempDir folder_;
};

TEST_F(CompareDumps, pass_when_all_tensors_agree) {
    const Result result =
        compared({unary("relu", 4, {1, -2}, {1, 0})}, {unary("relu", 7, {1, -2}, {1, 0})});
    EXPECT_EQ(result.exit_code(), 0);
    ASSERT_EQ(result.ops.size(), 1u);
    EXPECT_EQ(result.ops[0].target, "/relu/4");
    EXPECT_EQ(result.ops[0].golden, "/relu/7");
    EXPECT_EQ(result.ops[0].match, "name");
    EXPECT_EQ(result.ops[0].tensors.size(), 2u);
    EXPECT_EQ(result.ops[0].tensors[0].direction, dumpfile::Direction::kInput);
    EXPECT_EQ(result.counts.by_verdict[0], 2);
    EXPECT_EQ(result.first_culprit(), nullptr);
}

TEST_F(CompareDumps, judge_an_op_by_its_outputs_and_tell_its_inputs_apart) {
    const Result result =
        compared({unary("relu", 1, {1, -2}, {1, 0.5f}), unary("exp", 2, {1, 9}, {1, 3})},
                 {unary("relu", 1, {1, -2}, {1, 0}), unary("exp", 2, {1, 2}, {1, 3})});
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_EQ(result.first_culprit(), &result.ops[0]);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[0].judgement.rule,
              "out: max|t-g| 0.5 > 1e-05 = 1e-05 max|g| (float32 1e-05)");
    EXPECT_EQ(result.ops[0].inputs.verdict, Verdict::kPass);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.ops[1].inputs.verdict, Verdict::kFail);
}

TEST_F(CompareDumps, take_the_tolerance_from_the_targets_compute_type) {
    DumpedOp half = unary("relu", 1, {1, 2}, {1, 2.004f});
    half.compute_type = ComputeType::kFloat16;
    EXPECT_EQ(compared({half}, {unary("relu", 1, {1, 2}, {1, 2})}).exit_code(), 0);
    half.compute_type = ComputeType::kFloat32;
    EXPECT_EQ(compared({half}, {unary("relu", 1, {1, 2}, {1, 2})}).exit_code(), 1);
}

TEST_F(CompareDumps, match_runs_of_one_name_by_their_index) {
    const Result result =
        compared({unary("relu", 1, {1, 2}, {1, 2}), unary("relu", 5, {3, 4}, {3, 4})},
                 {unary("relu", 10, {1, 2}, {1, 2}), unary("relu", 30, {3, 4}, {3, 4})});
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.ops[1].golden, "/relu/30");
}

TEST_F(CompareDumps, match_what_is_left_by_canonical_name_and_say_the_alias) {
    DumpedOp cudnn = unary("cudnn_convolution", 3, {1, 2}, {3, 4});
    DumpedOp plain = unary("convolution", 1, {1, 2}, {3, 4});
    plain.inputs[0].name = "input";
    const Result result = compared({plain}, {cudnn});
    ASSERT_EQ(result.ops.size(), 1u);
    EXPECT_EQ(result.ops[0].match, "name, alias cudnn_convolution=convolution");
    EXPECT_EQ(result.ops[0].tensors.size(), 2u);
    EXPECT_EQ(result.ops[0].tensors[0].golden, "/cudnn_convolution/3/input/self");
    EXPECT_EQ(result.exit_code(), 0);
}

TEST_F(CompareDumps, match_a_load_mode_target_by_seqid) {
    std::vector<DumpedOp> target = {unary("relu", 2, {}, {1, 2}), unary("conv2d", 4, {}, {5, 6})};
    for (DumpedOp& op : target)
        op.inputs.clear();
    const Result result = compared(target,
                                   {unary("relu", 1, {9, 9}, {7, 8}),
                                    unary("relu", 2, {1, 2}, {1, 2}),
                                    unary("convolution", 4, {1, 2}, {5, 6})});
    EXPECT_TRUE(result.load_mode);
    EXPECT_EQ(result.ops[0].golden, "/relu/2");
    EXPECT_EQ(result.ops[0].match, "seqid");
    EXPECT_EQ(result.ops[1].match, "seqid, alias conv2d=convolution");
    // Inputs that a load-mode dump leaves out are not missing; the op it skipped is.
    EXPECT_EQ(result.ops[0].tensors.size(), 1u);
    EXPECT_EQ(result.counts.only_golden, 1);
    EXPECT_EQ(result.exit_code(), 1);
}

TEST_F(CompareDumps, match_two_dumps_of_outputs_by_run_when_seqids_do_not_fit) {
    std::vector<DumpedOp> target = {unary("relu", 1, {}, {1, 2}), unary("exp", 2, {}, {5, 6})};
    std::vector<DumpedOp> golden = {unary("relu", 11, {}, {1, 2}), unary("exp", 12, {}, {5, 6})};
    for (auto* ops : {&target, &golden})
        for (DumpedOp& op : *ops)
            op.inputs.clear();
    const Result result = compared(target, golden);
    EXPECT_FALSE(result.load_mode);
    EXPECT_EQ(result.exit_code(), 0);
}

TEST_F(CompareDumps, align_a_free_run_of_outputs_though_a_few_seqids_fit) {
    std::vector<DumpedOp> golden;
    for (int64_t i = 1; i <= 8; ++i)
        golden.push_back(unary(i % 4 < 2 ? "relu" : "exp", i, {1, 2}, {static_cast<float>(i), 9}));
    std::vector<DumpedOp> target = golden;
    target.insert(target.begin(), unary("abs", 0, {1, 2}, {1, 2}));
    for (size_t i = 0; i < target.size(); ++i) {
        target[i].inputs.clear();
        target[i].seqid = static_cast<int64_t>(i + 1);
    }
    const Result result = compared(target, golden);
    EXPECT_FALSE(result.load_mode);
    EXPECT_EQ(result.counts.ops, 8);
    EXPECT_EQ(result.counts.by_verdict[static_cast<size_t>(Verdict::kPass)], 8);
    ASSERT_EQ(result.partings.size(), 1u);
    EXPECT_EQ(result.partings[0].text, "the programs part here: target has abs more");
}

TEST_F(CompareDumps, count_ops_and_tensors_of_one_side) {
    DumpedOp more = unary("relu", 1, {1, 2}, {1, 2});
    more.outputs.push_back({"extra", vector_of({1, 2})});
    const Result result =
        compared({more, unary("exp", 2, {1, 2}, {1, 2})},
                 {unary("relu", 1, {1, 2}, {1, 2}), unary("abs", 2, {1, 2}, {1, 2})});
    EXPECT_EQ(result.counts.only_target, 1);
    EXPECT_EQ(result.counts.only_golden, 1);
    EXPECT_EQ(result.ops.size(), 3u);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kMissingGolden);
    EXPECT_EQ(result.ops[2].golden, "/abs/2");
    EXPECT_EQ(result.exit_code(), 1);
}

TEST_F(CompareDumps, compare_list_elements_one_by_one) {
    DumpedOp target = unary("unique", 1, {1, 2}, {});
    target.outputs = {{"out", TensorList{vector_of({1, 2}), vector_of({3, 4.5f})}}};
    DumpedOp golden = target;
    golden.outputs = {{"out", TensorList{vector_of({1, 2}), vector_of({3, 4})}}};
    const Result result = compared({target}, {golden});
    ASSERT_EQ(result.ops[0].tensors.size(), 3u);
    EXPECT_EQ(result.ops[0].tensors[2].argument, "out/out_1");
    EXPECT_EQ(result.ops[0].tensors[2].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[0].tensors[1].judgement.verdict, Verdict::kPass);
}

TEST_F(CompareDumps, let_a_pass_outweigh_an_empty_output) {
    DumpedOp op = unary("relu", 1, {1, 2}, {1, 2});
    op.outputs.insert(op.outputs.begin(), {"reserve", vector_of({})});
    const Result result = compared({op}, {op});
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.counts.by_verdict[static_cast<size_t>(Verdict::kUndefined)], 1);
    EXPECT_EQ(result.exit_code(), 0);
}

TEST_F(CompareDumps, is_not_done_when_nothing_was_compared_or_nothing_proves_anything) {
    EXPECT_EQ(compared({unary("relu", 1, {1}, {1})}, {unary("abs", 1, {1}, {1})}).exit_code(), 2);
    EXPECT_EQ(compared({unary("relu", 1, {0}, {0})}, {unary("relu", 1, {0}, {0})}).exit_code(), 2);
}

TEST_F(CompareDumps, leave_inputs_out_when_asked) {
    const Result result = compared({unary("relu", 1, {1, 5}, {1, 2})},
                                   {unary("relu", 1, {1, 2}, {1, 2})},
                                   {.inputs = false, .on_op = {}});
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.ops[0].tensors.size(), 1u);
}

TEST_F(CompareDumps, take_the_node_from_the_facts) {
    DumpedOp op = unary("relu", 1, {1, 2}, {1, 2});
    op.node = "/fc/Relu";
    EXPECT_EQ(compared({op}, {unary("relu", 1, {1, 2}, {1, 2})}).ops[0].node, "/fc/Relu");
}

TEST_F(CompareDumps, report_progress_once_an_op) {
    std::vector<DumpedOp> ops;
    for (int64_t i = 1; i <= 20; ++i)
        ops.push_back(unary("relu", i, {1, 2}, {1, 2}));
    int64_t calls = 0;
    const Result result = compared(
        ops, ops, {.threads = 3, .on_op = [&](int64_t done, int64_t total, const std::string&) {
                       EXPECT_EQ(done, ++calls);
                       EXPECT_EQ(total, 20);
                   }});
    EXPECT_EQ(calls, 20);
    EXPECT_EQ(result.counts.ops, 20);
}

TEST_F(CompareDumps, do_not_depend_on_the_number_of_threads) {
    std::vector<float> long_values(60000);
    for (size_t i = 0; i < long_values.size(); ++i)
        long_values[i] = static_cast<float>((i * 7919) % 1000) / 7.0f;
    std::vector<float> near = long_values;
    for (float& v : near)
        v *= 1.0001f;
    const auto metrics = [&](int threads) {
        return compared({unary("relu", 1, {1, 2}, near)},
                        {unary("relu", 1, {1, 2}, long_values)},
                        {.threads = threads, .on_op = {}})
            .ops[0]
            .tensors[1]
            .metrics;
    };
    EXPECT_EQ(metrics(1), metrics(3));
}

TEST_F(CompareDumps, of_the_recorded_load_mode_files_agree_with_the_reference_tool) {
    const auto golden = test::source_dir() / "tests/golden/msaccucmp/load_mode";
    const Result result = compare_files(golden / "my.h5", golden / "golden.h5");
    const auto op = std::find_if(result.ops.begin(), result.ops.end(), [](const OpResult& each) {
        return each.target == "/Addmm/3";
    });
    ASSERT_NE(op, result.ops.end());
    // expected.csv: MaxAbsoluteError 0.001151, MeanAbsoluteError 0.000405, MaxRelativeError
    // 0.000500
    const auto& metrics = op->tensors.at(0).metrics;
    EXPECT_NEAR(metrics[static_cast<size_t>(metric_index("max_absolute_error"))], 0.002528, 1e-6);
    EXPECT_NEAR(metrics[static_cast<size_t>(metric_index("mean_absolute_error"))], 0.000705, 1e-6);
    EXPECT_NEAR(metrics[static_cast<size_t>(metric_index("max_relative_error"))], 0.045515, 1e-6);
}

TEST(CompareFiles, compares_arrays_by_name) {
    const TempDir folder;
    write_npz(folder / "t.npz", {{"a", vector_of({1, 2})}, {"b", vector_of({3, 5})}});
    write_npz(folder / "g.npz",
              {{"b", vector_of({3, 4})}, {"a", vector_of({1, 2})}, {"c", vector_of({1})}});
    const Result result = compare_files(folder / "t.npz", folder / "g.npz");
    ASSERT_EQ(result.ops.size(), 3u);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[2].judgement.verdict, Verdict::kMissingTarget);
    EXPECT_EQ(result.counts.only_golden, 1);
    EXPECT_EQ(result.exit_code(), 1);
}

TEST(CompareFiles, holds_arrays_to_what_they_were_computed_in) {
    const TempDir folder;
    const NamedTensors target = {{"a", vector_of({1, 2.002F})}, {"b", vector_of({1, 2.002F})}};
    write_npz(folder / "t.npz", target, {{"b", {.compute_type = ComputeType::kFloat16}}});
    write_npz(folder / "g.npz", {{"a", vector_of({1, 2})}, {"b", vector_of({1, 2})}});
    const Result result = compare_files(folder / "t.npz", folder / "g.npz");
    ASSERT_EQ(result.ops.size(), 2u);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.ops[1].tensors.at(0).judgement.bound.source, "float16 0.004");
}

TEST(CompareFiles, compares_two_single_arrays_whatever_their_names) {
    const TempDir folder;
    write_npy(folder / "t.npy", vector_of({1, 2}).view());
    write_npy(folder / "other.npy", vector_of({1, 2}).view());
    EXPECT_EQ(compare_files(folder / "t.npy", folder / "other.npy").exit_code(), 0);
}

TEST(CompareFiles, rejects_mixtures_unknown_kinds_and_missing_files) {
    const TempDir folder;
    write_npy(folder / "t.npy", vector_of({1, 2}).view());
    EXPECT_THROW(static_cast<void>(compare_files(folder / "t.npy", folder / "g.h5")), Error);
    EXPECT_THROW(static_cast<void>(compare_files(folder / "t.txt", folder / "t.txt")), Error);
    EXPECT_THROW(static_cast<void>(compare_files(folder / "t.h5", folder / "t.h5")), Error);
}

/// As an op of a chip leaves it: the float status says overflow.
DumpedOp overflowed(DumpedOp op) {
    op.facts = R"({"status": {"bits": 32, "overflow": true}})";
    return op;
}

TEST_F(CompareDumps, blame_an_op_that_overflowed_within_its_tolerance) {
    const Result result =
        compared({overflowed(unary("mm", 1, {1, 2}, {3, 4})), unary("exp", 2, {3, 4}, {1, 9})},
                 {unary("mm", 1, {1, 2}, {3, 4}), unary("exp", 2, {3, 4}, {1, 3})});
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_EQ(result.first_culprit(), &result.ops[0]);  // not exp, whose numbers differ
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(result.ops[0].overflow, dumpfile::OverflowRole::kIntroduced);
    EXPECT_EQ(result.ops[1].overflow, dumpfile::OverflowRole::kNone);
    EXPECT_EQ(result.counts.overflow_introduced, 1);
}

TEST_F(CompareDumps, find_an_overflow_where_all_numbers_agree) {
    const Result result =
        compared({overflowed(unary("mm", 1, {1, 2}, {3, 4}))}, {unary("mm", 1, {1, 2}, {3, 4})});
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_EQ(result.first_culprit(), &result.ops[0]);
}

TEST_F(CompareDumps, find_nothing_in_an_overflow_of_both_sides) {
    const Result result = compared({overflowed(unary("mm", 1, {1, 2}, {3, 4}))},
                                   {overflowed(unary("mm", 1, {1, 2}, {3, 4}))});
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(result.counts.overflow_introduced, 0);
    // One of the golden side alone is none of the target.
    EXPECT_EQ(
        compared({unary("mm", 1, {1, 2}, {3, 4})}, {overflowed(unary("mm", 1, {1, 2}, {3, 4}))})
            .exit_code(),
        0);
}

TEST_F(CompareDumps, tell_an_overflow_on_damaged_inputs_apart) {
    const Result result = compared({overflowed(unary("mm", 1, {1, 2.5f}, {3, 4})),
                                    overflowed(unary("mm", 2, {1, 9}, {3, 9})),
                                    overflowed(unary("mm", 3, {1, 2}, {5, 6}))},
                                   {unary("mm", 1, {1, 2}, {3, 4}),
                                    unary("mm", 2, {1, 2}, {3, 4}),
                                    unary("mm", 3, {1, 2}, {5, 6})});
    // The first input differs, but no op before it overflowed.
    EXPECT_EQ(result.ops[0].overflow, dumpfile::OverflowRole::kIntroduced);
    EXPECT_EQ(result.ops[1].overflow, dumpfile::OverflowRole::kReceived);
    EXPECT_NE(result.ops[1].overflow_note.find("/mm/1"), std::string::npos);
    EXPECT_EQ(result.ops[2].overflow, dumpfile::OverflowRole::kIntroduced);
    EXPECT_EQ(result.counts.overflow_introduced, 2);
    EXPECT_EQ(result.counts.overflow_received, 1);
}

TEST_F(CompareDumps, tell_where_in_the_program_an_op_stands) {
    DumpedOp target = unary("mm", 1, {1, 2}, {3, 4});
    target.facts = R"({"module": "net.fc", "line": "train.py:12"})";
    DumpedOp golden = unary("mm", 1, {1, 2}, {3, 4});
    golden.facts = R"({"node": "/fc/MatMul", "line": "other.py:1"})";
    const Result result = compared({target}, {golden});
    EXPECT_EQ(result.ops[0].node, "/fc/MatMul");
    EXPECT_EQ(result.ops[0].module, "net.fc");
    EXPECT_EQ(result.ops[0].line, "train.py:12");
}

}  // namespace
}  // namespace npuscope::compare
