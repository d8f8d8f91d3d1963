#include "diagnose/judge/sum_bounds.h"

#include <cmath>

#include <gtest/gtest.h>

#include "compare/compare.h"
#include "core/dumpfile/writer.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

Tensor row(const std::vector<float>& values) {
    return Tensor::from<float>({1, static_cast<int64_t>(values.size())},
                               std::span<const float>(values));
}

double magnitudes(const std::string& op, const std::string& result, NamedValues arguments) {
    const backend::Op* found = backend::find_op(op);
    EXPECT_NE(found, nullptr) << op;
    return sum_of_magnitudes(*found, result, std::move(arguments));
}

// By hand: |1| + |-3| + |2| = 6.
TEST(SumOfMagnitudes, adds_the_magnitudes_of_what_cancels) {
    const Tensor x = row({1, -3, 2});
    EXPECT_EQ(magnitudes("sum", "result", {{"self", x}}), 6);
    EXPECT_EQ(magnitudes("mean_dim", "result", {{"self", x}, {"dim", IntList{1}}}), 2);
}

TEST(SumOfMagnitudes, takes_the_largest_element_of_the_result) {
    const Tensor x = Tensor::from<float>({2, 2}, {1, -1, 3, -4});
    EXPECT_EQ(magnitudes("sum_dim_IntList", "result", {{"self", x}, {"dim", IntList{1}}}), 7);
}

TEST(SumOfMagnitudes, of_a_bias_gradient_adds_the_output_gradients) {
    const NamedValues arguments = {
        {"grad_output", Tensor::from<float>({1, 2, 1, 2}, {1, -1, 0.5f, -2.5f})},
        {"input", Tensor::from<float>({1, 1, 1, 2}, {1, 2})},
        {"weight", Tensor::from<float>({2, 1, 1, 1}, {3, 4})},
        {"bias_sizes", IntList{2}},
        {"stride", IntList{1, 1}},
        {"padding", IntList{0, 0}},
        {"dilation", IntList{1, 1}},
        {"transposed", false},
        {"output_padding", IntList{0, 0}},
        {"groups", int64_t{1}},
        {"output_mask", BoolMask{{true, true, true}}}};
    EXPECT_EQ(magnitudes("convolution_backward", "result2", arguments), 3);
    EXPECT_EQ(magnitudes("convolution_backward", "result0", arguments), 0);
}

TEST(SumOfMagnitudes, is_nothing_for_ops_that_add_nothing) {
    EXPECT_EQ(magnitudes("relu", "result", {{"self", row({1, -3})}}), 0);
}

TEST(SumOfMagnitudes, is_nothing_for_arguments_that_the_op_refuses) {
    EXPECT_EQ(magnitudes("mean_dim", "result", {{"self", row({1})}, {"dim", IntList{7}}}), 0);
}

/// Of every row that says which of its results is a sum, that result exists.
TEST(SumRows, name_results_of_their_schema) {
    int rows = 0;
    for (const backend::Op& op : backend::all_ops()) {
        if (op.row->sum.empty()) continue;
        ++rows;
        bool found = false;
        for (const backend::Argument& result : op.schema.results)
            found = found || result.name == op.row->sum;
        EXPECT_TRUE(found) << op.name() << " has no result " << op.row->sum;
    }
    EXPECT_GT(rows, 20);
}

class SumBoundsOfDumps : public ::testing::Test {
  protected:
    /// mean(x) with another result than the golden's.
    compare::Verdict verdict(float target_mean, bool target_has_inputs) {
        write("target.h5", target_mean, target_has_inputs);
        write("golden.h5", 0, true);
        const compare::PrecisionBounds plain;
        const SumBounds bounds(plain, folder_ / "target.h5", folder_ / "golden.h5");
        const dumpfile::Reader target(folder_ / "target.h5");
        const dumpfile::Reader golden(folder_ / "golden.h5");
        return compare::compare_dumps(target, golden, bounds).ops.at(0).judgement.verdict;
    }

  private:
    void write(const std::string& name, float mean, bool with_inputs) {
        dumpfile::Writer writer(folder_ / name, {.run_facts = {}});
        dumpfile::OpRecord record;
        record.id = {"mean_dim", 1};
        record.write_inputs = with_inputs;
        record.inputs = {{"self", row({1, -1, 2, -2})}, {"dim", IntList{1}}};
        record.outputs = {{"result", Tensor::from<float>({1}, {mean})}};
        writer.write(record);
        writer.close();
    }
    test::TempDir folder_;
};

// The mean of the magnitudes is 1.5; float32 allows 1e-5 of it.
TEST_F(SumBoundsOfDumps, allow_what_rounding_leaves_of_a_mean_that_cancels) {
    EXPECT_NE(verdict(1.4e-5f, true), compare::Verdict::kFail);
    EXPECT_NE(verdict(1.4e-5f, false), compare::Verdict::kFail);
}

TEST_F(SumBoundsOfDumps, fail_a_mean_that_is_wrong) {
    EXPECT_EQ(verdict(1.6e-5f, true), compare::Verdict::kFail);
    EXPECT_EQ(verdict(0.1f, false), compare::Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::diagnose
