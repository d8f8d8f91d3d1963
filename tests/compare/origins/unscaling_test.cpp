#include "compare/origins/unscaling.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// A product with a number, honest by itself, that the golden's number would make another of.
Result multiplied_by(const std::string& number, double loss_scale) {
    TensorResult self;
    self.argument = "self";
    self.direction = dumpfile::Direction::kOutput;
    self.judgement = {Verdict::kFail, "called with other arguments"};
    self.split.emplace();
    self.split->target.emplace();
    self.split->by_golden_arguments = 900;
    OpResult op;
    op.target = "/mul__Tensor/9";
    op.golden = "/mul__Tensor/7";
    op.arguments = {{.name = "other", .target = number, .golden = "0.99"}};
    op.tensors = {self};
    Result result;
    result.loss_scale = loss_scale;
    result.ops = {op};
    conclude(result.ops[0], false);
    return result;
}

Verdict forgiven(const std::string& number, double loss_scale) {
    Result result = multiplied_by(number, loss_scale);
    forgive_unscaling(result);
    return result.ops[0].judgement.verdict;
}

TEST(Unscaling, is_no_other_number) {
    EXPECT_EQ(forgiven("0.00195312", 512), Verdict::kInherited);
}

TEST(Unscaling, is_by_the_scale_of_the_loss) {
    EXPECT_EQ(forgiven("0.0039", 512), Verdict::kFail);
    EXPECT_EQ(forgiven("0.00195312", 1), Verdict::kFail);
    EXPECT_EQ(forgiven("0.00195312", 1.0 / 512), Verdict::kFail);
}

}  // namespace
}  // namespace npuscope::compare
