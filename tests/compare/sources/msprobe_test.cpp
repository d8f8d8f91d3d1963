#include <gtest/gtest.h>

#include "compare/compare.h"
#include "compare/report/report.h"
#include "core/base/error.h"
#include "core/recording/source.h"
#include "tests/support/support.h"

namespace npuscope::compare {
namespace {

/// A training step as msprobe lists it: in the order of recording, which is not that of the
/// alphabet. `relu_max` is the largest element of relu and of a gradient.
std::string step(const std::string& relu_max) {
    const auto tensor = [](const std::string& dtype,
                           const std::string& shape,
                           const std::string& max,
                           const std::string& rest) {
        return R"({"type": "torch.Tensor", "dtype": "torch.)" + dtype + R"(", "shape": )" + shape +
               R"(, "Max": )" + max + rest + R"(, "requires_grad": false})";
    };
    const std::string all = R"(, "Min": 0.5, "Mean": 1.0, "Norm": 3.0)";
    const std::string no_mean = R"(, "Min": 0, "Mean": null, "Norm": null)";
    const std::string nothing = R"(, "Min": null, "Mean": null, "Norm": null)";
    return R"({"task": "statistics", "level": "mix", "framework": "pytorch", "data": {)"
           R"("Tensor.eq.0.forward": {"input_args": [)" +
           tensor("float64", "[4]", "2.0", no_mean) + R"(], "input_kwargs": {}, "output": [)" +
           tensor("bool", "[4]", "true", R"(, "Min": false, "Mean": null, "Norm": null)") +
           R"(]}, "Functional.relu.0.forward": {"input_args": [)" +
           tensor("float32", "[4]", "2.0", all) + R"(], "input_kwargs": {"z": )" +
           tensor("int64", "[2]", "7", no_mean) + R"(, "a": )" +
           tensor("float16", "[0]", "null", nothing) + R"(}, "output": [)" +
           tensor("float32", "[4]", relu_max, all) +
           R"(]}, "Functional.relu.0.backward": {"input": [)" +
           tensor("float32", "[4]", "NaN", all) + R"(], "output": [)" +
           tensor("float32", "[4]", "Infinity", all) +
           R"(]}, "Module.fc.Linear.parameters_grad.0": {"weight": [)" +
           tensor("float32", "[4]", relu_max, all) + R"(], "bias": [)" +
           tensor("float32", "[4]", "2.0", all) + R"(]}}})";
}

Result compare_steps(const std::string& target, const std::string& golden) {
    const test::TempDir folder;
    for (const char* side : {"target", "golden"})
        std::filesystem::create_directory(folder / side);
    test::write_file(folder / "target/dump.json", target);
    test::write_file(folder / "golden/dump.json", golden);
    return compare_sources(open_source(folder / "target"), open_source(folder / "golden"));
}

TEST(Msprobe, lists_ops_and_arguments_in_the_order_of_recording) {
    const Result result = compare_steps(step("2.0"), step("2.0"));
    ASSERT_EQ(result.ops.size(), 4u);
    EXPECT_EQ(result.ops[0].target, "Tensor.eq.0.forward");
    EXPECT_EQ(result.ops[1].target, "Functional.relu.0.forward");
    EXPECT_EQ(result.ops[2].target, "Functional.relu.0.backward");
    EXPECT_EQ(result.ops[3].target, "Module.fc.Linear.parameters_grad.0");
    ASSERT_EQ(result.ops[1].tensors.size(), 4u);
    EXPECT_EQ(result.ops[1].tensors[1].argument, "z");
    EXPECT_EQ(result.ops[1].tensors[2].argument, "a");
}

TEST(Msprobe, finds_no_difference_between_a_dump_and_itself) {
    const Result result = compare_steps(step("2.0"), step("2.0"));
    for (const OpResult& op : result.ops)
        EXPECT_EQ(op.judgement.verdict, Verdict::kPass) << op.target << ": " << op.judgement.rule;
    EXPECT_EQ(result.exit_code(), 0);
    EXPECT_EQ(overall_verdict(result), "pass");
    EXPECT_EQ(result.counts.tensors, 9);          // of 10, one has no elements
    EXPECT_EQ(result.counts.not_recorded, 1);     // float16 [0]
    EXPECT_EQ(result.counts.partly_recorded, 3);  // float64, bool, int64
}

TEST(Msprobe, names_the_first_op_that_differs_in_the_order_of_recording) {
    const Result result = compare_steps(step("2.5"), step("2.0"));
    EXPECT_EQ(result.exit_code(), 1);
    ASSERT_EQ(result.first_culprit(), &result.ops[1]);
    EXPECT_EQ(result.ops[1].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[2].judgement.verdict, Verdict::kPass);
    // A parameter's gradient is a result too.
    EXPECT_EQ(result.ops[3].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(result.ops[3].tensors[0].argument, "weight.0");
}

TEST(Msprobe, compares_nothing_where_no_statistic_was_recorded) {
    const std::string empty =
        R"({"data": {"a": {"output": [{"dtype": "torch.float16", "shape": [0], "Max": null}]}}})";
    const Result result = compare_steps(empty, empty);
    EXPECT_EQ(result.exit_code(), 2);
    EXPECT_EQ(overall_verdict(result), "nothing compared");
}

TEST(Msprobe, says_once_what_was_not_recorded) {
    const std::string text =
        report_named("terminal").write(compare_steps(step("2.0"), step("2.0")), {.options = {}});
    EXPECT_NE(text.find("not recorded on both sides: any statistic of 1 tensors, some statistics "
                        "of 3\n"),
              std::string::npos)
        << text;
    EXPECT_EQ(text.find("Functional.relu"), std::string::npos) << text;
}

/// One op called with this eps, a list and a text.
std::string layer_norm(const std::string& eps) {
    return R"({"data": {"Functional.layer_norm.0.forward": {"input_args": [)"
           R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0}, )"
           R"([{"type": "int", "value": 2}], {"type": "float", "value": )" +
           eps + R"(}], "input_kwargs": {"mode": {"type": "str", "value": "mean"}, )" +
           R"("keep": {"type": "bool", "value": true}}, "output": [)"
           R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0}]}}})";
}

TEST(Msprobe, names_the_arguments_that_differ) {
    const Result result = compare_steps(layer_norm("0.001"), layer_norm("1e-05"));
    EXPECT_EQ(to_text(result.ops[0].arguments), "argument 2 is 0.001, golden 1e-05");
    EXPECT_EQ(result.exit_code(), 1);
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].kind, CulpritKind::kArgument);
    EXPECT_TRUE(compare_steps(layer_norm("1e-05"), layer_norm("1e-05")).ops[0].arguments.empty());
}

TEST(Msprobe, compares_hashes_that_were_recorded_alone) {
    const auto step = [](const std::string& hash) {
        return R"({"data": {"Functional.relu.0.forward": {"output": [{"dtype": "torch.float16", )"
               R"("shape": [4], "md5": ")" +
               hash + R"("}]}}})";
    };
    EXPECT_EQ(compare_steps(step("0x01"), step("0x01")).exit_code(), 0);
    const Result result = compare_steps(step("0x01"), step("0x02"));
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_EQ(result.ops[0].judgement.rule, "0: hash 0x01, golden 0x02");
}

TEST(Msprobe, compares_the_float_status_where_nothing_else_was_recorded) {
    const auto step = [](const std::string& flag) {
        return R"({"task": "nan_check", "data": {"Torch.exp.0.forward": {"output": [)"
               R"({"dtype": "torch.float16", "shape": [4]}], "is_nan": )" +
               flag + "}}}";
    };
    EXPECT_EQ(compare_steps(step("0"), step("0")).exit_code(), 0);
    const Result result = compare_steps(step("1"), step("0"));
    EXPECT_EQ(result.exit_code(), 1);
    EXPECT_EQ(result.ops[0].overflow, dumpfile::OverflowRole::kIntroduced);
    EXPECT_EQ(compare_steps(step("null"), step("0")).exit_code(), 2);
}

/// A dump of the structure alone: ops and modules by name.
Source structure(const std::filesystem::path& folder, const std::string& construct) {
    std::filesystem::create_directories(folder);
    test::write_file(folder / "dump.json", R"({"task": "structure", "level": "mix", "data": {}})");
    test::write_file(folder / "construct.json", construct);
    return open_source(folder);
}

TEST(Msprobe, compares_the_structure_where_nothing_else_was_recorded) {
    const test::TempDir folder;
    const std::string one =
        R"({"Functional.relu.0.forward": "Module.act.ReLU.forward.0", "optimizer": null, )"
        R"("Module.act.ReLU.forward.0": null})";
    const std::string other = R"({"Functional.relu.0.forward": "Module.act.ReLU.forward.0"})";
    const Result same = compare_sources(structure(folder / "a", one), structure(folder / "b", one));
    EXPECT_EQ(same.exit_code(), 0);
    EXPECT_EQ(overall_verdict(same), "pass");
    EXPECT_EQ(same.counts.ops, 2);
    EXPECT_EQ(same.ops[0].module, "Module.act.ReLU.forward.0");
    const Result parted =
        compare_sources(structure(folder / "c", one), structure(folder / "d", other));
    EXPECT_EQ(parted.exit_code(), 1);
    EXPECT_EQ(parted.counts.only_target, 1);
}

TEST(Msprobe, says_once_what_a_dump_lacks_and_how_to_record_it) {
    const Result result = compare_steps(step("2.0"), step("2.0"));
    ASSERT_EQ(result.notes.size(), 1u);
    EXPECT_EQ(result.notes[0],
              "the msprobe dump lacks elements of tensors (\"task\": \"tensor\" records them), "
              "source lines (stack.json, written by the same run), modules (construct.json, "
              "\"level\": \"mix\" or \"L0\")");
}

TEST(Msprobe, rejects_what_has_no_data) {
    for (const std::string text : {"", "[]", R"({"data": 3})", R"({"data": {"a": )"}) {
        try {
            static_cast<void>(compare_steps(text, text));
            FAIL() << text;
        } catch (const Error& failure) {
            EXPECT_NE(std::string(failure.what()).find("dump.json"), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace npuscope::compare
