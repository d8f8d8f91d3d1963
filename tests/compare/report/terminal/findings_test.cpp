#include "compare/report/terminal/findings.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "compare/report/accused.h"
#include "compare/report/judged.h"

namespace npuscope::compare {
namespace {

OpResult op_of(const std::string& path, Verdict verdict) {
    OpResult op;
    op.target = path;
    op.golden = path;
    op.judgement = {verdict, "out: why"};
    op.tensors.resize(1);
    op.tensors[0].argument = "out";
    op.tensors[0].target = path + "/output/out";
    op.tensors[0].golden = path + "/output/out";
    op.tensors[0].shape = {4, 6};
    op.tensors[0].judgement = {verdict, "why"};
    op.tensors[0].split.emplace();
    op.tensors[0].split->target = Introduced{.ratio = 0.5, .numel = 24, .arithmetic = "fp32"};
    return op;
}

/// A relu, then an addmm that is wrong in column 5, then an op that inherits.
Result with_fault() {
    Result result;
    result.ops = {op_of("/relu/1", Verdict::kPass),
                  op_of("/addmm/2", Verdict::kFail),
                  op_of("/relu/3", Verdict::kInherited)};
    OpResult& addmm = result.ops[1];
    addmm.module = "encoder.fc";
    addmm.line = "/home/me/net.py:20";
    addmm.arguments = {{"beta", "0.5", "1"}};
    addmm.tensors[0].split->target = Introduced{.ratio = 200,
                                                .over = 2,
                                                .numel = 24,
                                                .slope = 0.9,
                                                .lean = 12,
                                                .worst = {{11, 3, 2, 0.005}, {5, -1, -0.5, 0.01}},
                                                .where = "all in [:, 5]",
                                                .arithmetic = "fp16 inputs, fp32 sums",
                                                .formula = "2^-24 (10 sum|a||b| + |y|)"};
    result.culprits = {{.op = 1, .why = "out: 2 of 24 elements beyond"}};
    return result;
}

TEST(Findings, tell_the_first_culprit_at_length) {
    EXPECT_EQ(first_culprit_text(with_fault(), {.target = "npu.h5", .options = {}}),
              "first culprit: /addmm/2 (encoder.fc, net.py:20)\n"
              "  out: 2 of 24 elements beyond\n"
              "  order: the op before it is not at fault; inherited by 1 op behind it\n"
              "  held to: fp16 inputs, fp32 sums; allowed is 2^-24 (10 sum|a||b| + |y|)\n"
              "  arguments: beta 0.5, golden 1\n"
              "  elements of out: 2 of 24 over what is allowed, all in [:, 5]; on the whole 0.9\n"
              "    of the expected; they lean to one side (12 standard errors)\n"
              "    at     recorded  expected  allowed\n"
              "    [1,5]  3         2         0.005\n"
              "    [0,5]  -1        -0.5      0.01\n"
              "  next: npuscope inspect npu.h5 /addmm/2\n");
}

TEST(Findings, tell_of_a_tensor_with_a_command_that_shows_it) {
    Result result = with_fault();
    result.culprits[0] = {.kind = CulpritKind::kTensor,
                          .op = 1,
                          .tensor = "/addmm/2/input/mat2",
                          .why = "weight `mat2` is not the golden's"};
    const std::string text = first_culprit_text(result, {.target = "npu.h5", .options = {}});
    EXPECT_NE(text.find("first culprit: /addmm/2/input/mat2 (encoder.fc"), std::string::npos);
    EXPECT_NE(text.find("next: npuscope inspect npu.h5 /addmm/2/input/mat2\n"), std::string::npos);
    EXPECT_EQ(text.find("elements:"), std::string::npos) << "the op's results are not its fault";
}

TEST(Findings, tell_why_without_the_elements_that_are_listed_below) {
    Result result = with_fault();
    result.culprits[0].why = result.ops[1].judgement.rule;
    const std::string text = first_culprit_text(result, {.options = {}});
    EXPECT_NE(
        text.find("\n  its own arithmetic is at fault: 200 times the error that honest arithmetic\n"
                  "    makes of these inputs\n"),
        std::string::npos)
        << text;
}

TEST(Findings, offer_no_command_that_cannot_read_the_file) {
    EXPECT_EQ(first_culprit_text(with_fault(), {.target = "npu.npz", .options = {}}).find("next:"),
              std::string::npos);
}

TEST(Findings, are_a_line_each_and_no_more_than_twenty) {
    Result result = with_fault();
    for (int i = 0; i < 30; ++i)
        result.culprits.push_back(result.culprits[0]);
    const std::string text = other_findings_text(result, {.options = {}});
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 19 + 1);
    EXPECT_NE(text.find("  /addmm/2 (encoder.fc, net.py:20): 2 of 24 elements over, 200 times "
                        "too far, a…\n"),
              std::string::npos)
        << text;
    EXPECT_TRUE(text.ends_with("  11 more with -v\n"));
    const std::string all = other_findings_text(result, {.all_ops = true, .options = {}});
    EXPECT_EQ(all.find("more with"), std::string::npos);
    EXPECT_GE(std::count(all.begin(), all.end(), '\n'), 31);
}

TEST(Findings, are_ranked_by_what_they_do_to_the_end) {
    Result result = with_fault();
    result.culprits[0].effect = 0.001;
    result.culprits[0].effect_on = "/relu/3/output/out";
    EXPECT_EQ(first_culprit_text(result, {.options = {}}).find("effect:"), std::string::npos);
    for (const double effect : {0.25, 0.0}) {
        result.culprits.push_back(result.culprits[0]);
        result.culprits.back().effect = effect;
    }
    EXPECT_NE(
        first_culprit_text(result, {.options = {}})
            .find("\n  effect: 0.001 of max|g| at /relu/3/output/out, the most at a last output "
                  "or\n    gradient\n"),
        std::string::npos)
        << first_culprit_text(result, {.options = {}});
    EXPECT_EQ(other_findings_text(result, {.options = {}}),
              "other findings, by what they do to the last outputs and gradients (of max|g|):\n"
              "  0.25  /addmm/2 (encoder.fc, net.py:20): 2 of 24 elements over, 200 times too …\n"
              "  0     /addmm/2 (encoder.fc, net.py:20): 2 of 24 elements over, 200 times too …\n");
    result.culprits[0].effect_on.clear();
    EXPECT_NE(
        first_culprit_text(result, {.options = {}})
            .find("\n  effect: none at the last outputs and gradients that both sides have\n"),
        std::string::npos);
}

TEST(Findings, tell_one_of_those_that_are_alike) {
    Result result = with_fault();
    Culprit like = result.culprits[0];
    like.kind = CulpritKind::kArgument;
    like.why = "self: called with other arguments: value -0.05, golden -0.025";
    result.culprits.insert(result.culprits.end(), 3, like);
    like.why = "self: called with other arguments: value -0.1, golden -0.05";
    result.culprits.push_back(like);
    const std::string brief = other_findings_text(result, {.options = {}});
    EXPECT_EQ(std::ranges::count(brief, '\n'), 3) << brief;
    EXPECT_NE(brief.find(" and 2 like it: "), std::string::npos) << brief;
    const std::string all = other_findings_text(result, {.all_ops = true, .options = {}});
    EXPECT_EQ(all.find("like it"), std::string::npos) << all;
}

TEST(Findings, tell_of_findings_that_no_culprit_names) {
    Result result = with_fault();
    result.culprits.clear();
    EXPECT_EQ(first_culprit_text(result, {.options = {}}), "");
    EXPECT_EQ(other_findings_text(result, {.options = {}}),
              "findings:\n  /addmm/2 (encoder.fc, net.py:20): out: why\n");
}

TEST(AccusedResult, is_the_golden_s_where_the_golden_is_at_fault) {
    Result result = with_fault();
    result.ops[1].tensors[0].split->golden = Introduced{.ratio = 3, .over = 1};
    const Culprit golden{.kind = CulpritKind::kGolden, .op = 1};
    EXPECT_EQ(accused_result(golden, result.ops[1]).error->over, 1);
    EXPECT_EQ(accused_result(result.culprits[0], result.ops[1]).error->over, 2);
    EXPECT_EQ(next_command(golden, result.ops[1], {.golden = "gpu.h5", .options = {}}),
              "npuscope inspect gpu.h5 /addmm/2");
}

TEST(PlaceOfElement, counts_the_last_axis_first) {
    EXPECT_EQ(place_of_element(25, {2, 3, 6}), "[1,1,1]");
    EXPECT_EQ(place_of_element(0, {}), "[]");
}

TEST(Judged, counts_ops_and_reasons) {
    Result result = with_fault();
    result.ops.push_back(op_of("/dropout/4", Verdict::kNotProvable));
    result.ops.back().tensors[0].split = Split{.why_not = "random"};
    result.ops.push_back(op_of("/empty/5", Verdict::kUndefined));
    result.ops.emplace_back().target = "/more/6";
    const Judged judged = judged_ops(result);
    EXPECT_EQ(judged.ops, 3);
    EXPECT_EQ(judged.of, 5);
    EXPECT_EQ(judged.undefined, 1);
    EXPECT_EQ(judged.incomparable, 0);
    EXPECT_EQ(judged.not_provable, (std::map<std::string, int64_t>{{"random", 1}}));
}

}  // namespace
}  // namespace npuscope::compare
