#include "compare/origins/gradient_scale.h"

#include <cmath>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// A result of one element that is `factor` times the golden's, `size`.
OpResult made(const std::string& name, double size, double factor) {
    OpResult op;
    op.target = op.golden = name;
    op.id = {name, 1};
    TensorResult tensor;
    tensor.direction = dumpfile::Direction::kOutput;
    tensor.dtype = "float32";
    tensor.metrics = {0};
    tensor.sums.pairs = tensor.sums.numel = 1;
    tensor.sums.tt = size * size * factor * factor;
    tensor.sums.tg = size * size * factor;
    tensor.sums.gg = size * size;
    tensor.sums.dd = size * size * (factor - 1) * (factor - 1);
    tensor.sums.max_d = size * (factor - 1);
    op.tensors.push_back(tensor);
    return op;
}

Result gradients(double first, double others) {
    Result result;
    result.ops = {made("fc", 2, 1)};
    for (int i = 0; i < 5; ++i)
        result.ops.push_back(made("fc.weight.grad", 1 + 0.1 * i, i == 0 ? first : others));
    return result;
}

TEST(GradientScale, is_a_power_of_two_that_most_gradients_have) {
    Result result = gradients(1024, 1024.5);
    take_scale_of_gradients(result);
    EXPECT_EQ(result.loss_scale, 1024);
    ASSERT_EQ(result.notes.size(), 1u);
    EXPECT_NE(result.notes[0].find("5 of 5 gradients are 1024 times the golden's"),
              std::string::npos)
        << result.notes[0];
    const Sums sums = without_loss_scale(result, result.ops[2].tensors[0]);
    EXPECT_NEAR(std::sqrt(sums.dd / sums.gg), 0.5 / 1024, 1e-9);
    // What is not scaled stays as it is.
    EXPECT_EQ(without_loss_scale(result, result.ops[0].tensors[0]).tt, 4);
}

TEST(GradientScale, may_be_divided_out_of_those_of_parameters) {
    Result result = gradients(1, 1);
    for (int i = 0; i < 3; ++i)
        result.ops.insert(result.ops.begin() + 1, made("fc.grad_output", 1 + 0.1 * i, 1024));
    take_scale_of_gradients(result);
    EXPECT_EQ(result.loss_scale, 1024);
    // Others that nothing was divided out of say that it is none.
    for (int i = 0; i < 3; ++i)
        result.ops.push_back(made("conv.grad_output", 1 + 0.1 * i, 1));
    take_scale_of_gradients(result);
    EXPECT_EQ(result.loss_scale, 1);
}

TEST(GradientScale, of_the_golden_is_known_as_well) {
    Result result = gradients(1.0 / 256, 1.0 / 256);
    take_scale_of_gradients(result);
    EXPECT_EQ(result.loss_scale, 1.0 / 256);
}

TEST(GradientScale, is_none_of_one_gradient_or_of_a_small_factor) {
    for (const auto& [first, others] : {std::pair(1024.0, 1.0),
                                        std::pair(1.0, 1024.0),
                                        std::pair(64.0, 64.0),
                                        std::pair(1500.0, 1500.0)}) {
        Result result = gradients(first, others);
        take_scale_of_gradients(result);
        EXPECT_EQ(result.loss_scale, 1) << first;
        EXPECT_TRUE(result.notes.empty());
    }
}

}  // namespace
}  // namespace npuscope::compare
