#include "diagnose/check/check_verdict.h"

#include <gtest/gtest.h>

#include "core/dumpfile/writer.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

using compare::Verdict;

OpFinding op_with(std::optional<Verdict> verdict, double introduced) {
    OpFinding op;
    op.id = {"mm", 1};
    op.compute_type = ComputeType::kFloat32;
    if (verdict) op.judgement = compare::Judgement{*verdict, {}};
    op.introduced = introduced;
    op.ratio = introduced / 1e-5;
    op.arithmetic = "fp32";
    return op;
}

/// Two ops that pass and add 1e-6 each; an output that is off by `output`.
CheckReport passing(double output) {
    CheckReport report;
    report.ops = {op_with(Verdict::kPass, 1e-6), op_with(Verdict::kPass, 1e-6)};
    OutputDifference difference{.name = "y", .incomparable = {}};
    difference.relative = output;
    report.outputs = {difference};
    return report;
}

CheckReport concluded(CheckReport report) {
    const test::TempDir folder;
    dumpfile::Writer writer(folder / "golden.h5", {.run_facts = {}});
    dumpfile::OpRecord record;
    record.id = {"mm", 1};
    record.outputs = {{"result", Tensor::scalar(1.0f)}};
    writer.write(record);
    writer.close();
    const dumpfile::Reader golden(folder / "golden.h5");
    conclude(report, golden, false);
    return report;
}

TEST(CheckVerdict, passes_however_far_an_output_is_off_when_each_op_is_honest) {
    const CheckReport report = concluded(passing(0.4));
    EXPECT_EQ(report.verdict, CheckVerdict::kPass);
    EXPECT_EQ(report.headline,
              "all 2 judged ops keep what their arithmetic promises and none overflows; /mm/1 "
              "differs most");
}

TEST(CheckVerdict, fails_another_program_and_names_where_it_parts) {
    CheckReport report = passing(0.4);
    report.program = {"the programs part here: target has relu more", "a tensor"};
    const CheckReport done = concluded(report);
    EXPECT_EQ(done.verdict, CheckVerdict::kFail);
    EXPECT_EQ(done.headline,
              "in the free run, the programs part here: target has relu more (and 1 more)");
    EXPECT_FALSE(done.first_culprit);
    EXPECT_EQ(done.remarks.front(), "in the free run, a tensor");
}

TEST(CheckVerdict, fails_an_op_that_goes_wrong_in_the_free_run_only) {
    CheckReport report = passing(0.4);
    report.ops[1].id = {"mm", 2};
    report.ops[1].free_fault = "3 of 4 elements beyond what fp32 makes of these inputs";
    const CheckReport done = concluded(report);
    EXPECT_EQ(done.verdict, CheckVerdict::kFail);
    EXPECT_EQ(done.first_culprit, 1u);
    EXPECT_EQ(done.headline,
              "/mm/2 is the first op beyond what its arithmetic explains: in the free run: 3 of 4 "
              "elements beyond what fp32 makes of these inputs");
    EXPECT_EQ(done.ops[1].status(), "fail");
}

TEST(CheckVerdict, blames_a_golden_that_is_at_fault) {
    CheckReport report = passing(0.4);
    report.ops[0].judgement = compare::Judgement{Verdict::kGoldenAtFault, "its golden"};
    const CheckReport done = concluded(report);
    EXPECT_EQ(done.verdict, CheckVerdict::kFail);
    EXPECT_EQ(done.headline, "/mm/1: the golden is at fault: its golden");
    EXPECT_EQ(done.why.fingerprint, "golden-at-fault");
}

TEST(CheckVerdict, tells_of_honest_ops_that_are_far_off) {
    CheckReport report = passing(0.4);
    report.ops[0].coarse = true;
    report.ops[0].introduced = 0.24;
    const CheckReport done = concluded(report);
    EXPECT_EQ(done.verdict, CheckVerdict::kPass);
    EXPECT_EQ(done.remarks.front(),
              "1 op is off by more than float32 results usually are, although the arithmetic is "
              "honest: the values are too small, or cancel; first /mm/1, by 24 % of its largest "
              "value");
}

TEST(CheckVerdict, does_not_fail_a_class_that_jumps) {
    CheckReport report = passing(1);
    report.outputs[0].is_float = false;
    EXPECT_EQ(concluded(report).verdict, CheckVerdict::kPass);
}

TEST(CheckVerdict, is_undecided_when_most_ops_were_not_judged) {
    CheckReport report = passing(1e-6);
    for (const std::optional<Verdict> verdict :
         {std::optional(Verdict::kMissingTarget), {}, std::optional(Verdict::kMistrusted)})
        report.ops.push_back(op_with(verdict, 0));
    EXPECT_EQ(concluded(report).verdict, CheckVerdict::kUndecided);
    report.ops.pop_back();
    EXPECT_EQ(concluded(report).verdict, CheckVerdict::kPass);
}

TEST(CheckVerdict, is_undecided_without_an_output) {
    CheckReport report = passing(0);
    report.outputs[0].incomparable = "no recorded op computes it";
    EXPECT_EQ(concluded(report).verdict, CheckVerdict::kUndecided);
    report.outputs.clear();
    EXPECT_EQ(concluded(report).verdict, CheckVerdict::kUndecided);
}

TEST(CheckVerdict, names_other_weights_before_any_op) {
    CheckReport report = passing(0.8);
    report.ops[1].judgement->verdict = Verdict::kFail;
    report.given_differ = 2;
    report.given = {"/mm/1/input/mat2 is not the golden's: it is its transpose", "another"};
    const CheckReport done = concluded(report);
    EXPECT_EQ(done.verdict, CheckVerdict::kFail);
    EXPECT_EQ(done.headline,
              "/mm/1/input/mat2 is not the golden's: it is its transpose (and 1 more)");
    EXPECT_EQ(done.why.fingerprint, "other-weights");
    EXPECT_EQ(done.remarks.front(), "another");
}

TEST(CheckVerdict, names_nan_in_the_input_before_anything) {
    CheckReport report = passing(0.8);
    report.given = {"a weight"};
    report.bad_inputs = {"the input x holds NaN: 1 of 4 elements, first at [0]"};
    const CheckReport done = concluded(report);
    EXPECT_EQ(done.headline, report.bad_inputs.front());
    EXPECT_EQ(done.why.fingerprint, "nan-input");
}

}  // namespace
}  // namespace npuscope::diagnose
