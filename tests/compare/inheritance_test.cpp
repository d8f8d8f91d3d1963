#include "compare/inheritance.h"

#include <limits>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

using dumpfile::Direction;

/// A measured tensor whose largest golden value is 1 and whose largest difference is `error`.
TensorResult measured(Direction direction, double error, Verdict verdict) {
    TensorResult tensor;
    tensor.argument = direction == Direction::kInput ? "self" : "result";
    tensor.direction = direction;
    tensor.metrics = {0.0};
    tensor.sums.numel = tensor.sums.pairs = 8;
    tensor.sums.max_abs_g = 1;
    tensor.sums.max_d = error;
    tensor.judgement = {verdict, "max|t-g|"};
    return tensor;
}

OpResult op(double input_error, Verdict input, double output_error, Verdict output) {
    OpResult made;
    made.target = made.golden = "/relu/1";
    made.tensors = {measured(Direction::kInput, input_error, input),
                    measured(Direction::kOutput, output_error, output)};
    conclude(made);
    return made;
}

TEST(Inheritance, an_error_that_an_earlier_op_may_make_is_not_blamed_on_the_next) {
    // A float16 product is off by 3e-4 and passes its own bound; the relu behind it allows 1e-5.
    std::vector<OpResult> ops = {op(0, Verdict::kPass, 3e-4, Verdict::kPass),
                                 op(3e-4, Verdict::kFail, 3e-4, Verdict::kFail)};
    mark_inherited(ops);
    EXPECT_EQ(ops[0].judgement.verdict, Verdict::kPass);
    EXPECT_EQ(ops[1].judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(ops[1].inputs.verdict, Verdict::kInherited);
    EXPECT_EQ(ops[1].judgement.rule, "result: off by 0.0003 max|g|, came in through self (0.0003)");
}

TEST(Inheritance, an_error_that_grows_beyond_ten_times_is_the_ops_own) {
    std::vector<OpResult> ops = {op(0, Verdict::kPass, 1e-4, Verdict::kPass),
                                 op(1e-4, Verdict::kFail, 2e-3, Verdict::kFail)};
    mark_inherited(ops);
    EXPECT_EQ(ops[1].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(ops[1].inputs.verdict, Verdict::kInherited);
}

TEST(Inheritance, inputs_that_no_earlier_op_explains_still_fail) {
    std::vector<OpResult> ops = {op(0.5, Verdict::kFail, 0.5, Verdict::kFail)};
    mark_inherited(ops);
    EXPECT_EQ(ops[0].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(ops[0].inputs.verdict, Verdict::kFail);
}

TEST(Inheritance, infinity_on_one_side_is_never_inherited) {
    std::vector<OpResult> ops = {op(0, Verdict::kPass, 3e-4, Verdict::kPass),
                                 op(3e-4, Verdict::kFail, 3e-4, Verdict::kFail)};
    ops[1].tensors[1].sums.nonfinite_differs = 1;
    mark_inherited(ops);
    EXPECT_EQ(ops[1].judgement.verdict, Verdict::kFail);
}

TEST(Inheritance, ops_behind_a_culprit_inherit_from_it) {
    std::vector<OpResult> ops = {op(0, Verdict::kPass, 0.2, Verdict::kFail),
                                 op(0.2, Verdict::kFail, 0.3, Verdict::kFail)};
    mark_inherited(ops);
    EXPECT_EQ(ops[0].judgement.verdict, Verdict::kFail);
    EXPECT_EQ(ops[1].judgement.verdict, Verdict::kInherited);
}

}  // namespace
}  // namespace npuscope::compare
