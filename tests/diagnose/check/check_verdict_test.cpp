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
    op.tolerance = 1e-5;
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

TEST(CheckVerdict, passes_when_the_ops_explain_the_output) {
    // Ten times 2e-6 allowed.
    EXPECT_EQ(concluded(passing(1.9e-5)).verdict, CheckVerdict::kPass);
}

TEST(CheckVerdict, fails_an_output_that_the_ops_do_not_explain) {
    const CheckReport report = concluded(passing(2.1e-5));
    EXPECT_EQ(report.verdict, CheckVerdict::kFail);
    EXPECT_EQ(report.headline,
              "output y is off by 0.0021 % of its largest value, although each op alone is within "
              "its tolerance: their errors explain 0.002 % at most");
    EXPECT_FALSE(report.first_culprit);
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
