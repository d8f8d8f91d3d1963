#include "compare/origins/moved_by_step.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

constexpr float kRate = 0.01F;

struct Written {
    Tensor bias;
    Tensor gradient;
    Tensor moved;
};

/// A layer, its bias's gradient, and the layer behind a step that nobody recorded.
Source program(const Written& run) {
    const Tensor x = random_tensor({4, 6}, 1);
    const auto layer = [&](const Tensor& bias) {
        return HandMadeOp{"addmm",
                          {{"self", bias}, {"mat1", x}},
                          {{"result", random_tensor({4, 6}, 2)}},
                          "layer",
                          "net.py:3"};
    };
    return hand_made({layer(run.bias),
                      {"tanh_backward", {{"grad_output", x}}, {{"result", x}}},
                      {"sum_dim_IntList", {{"self", x}}, {{"result", run.gradient}}},
                      layer(run.moved)});
}

/// Adam's first step.
Tensor by_signs(const Tensor& bias, const Tensor& gradient, float rate = kRate) {
    Tensor moved = bias;
    for (size_t i = 0; i < 6; ++i)
        moved.mutable_as<float>()[i] -= gradient.as<float>()[i] > 0 ? rate : -rate;
    return moved;
}

bool may_be(const Written& target, const Written& golden) {
    TracedPair pair(program(target), program(golden));
    const auto& inputs = pair.flows.inputs();
    const auto last = std::ranges::find_if(inputs, [&](const InputPair& input) {
        return input.pair == 3 && pair.flows.target().tensor(input.target).argument == "self";
    });
    return may_be_moved_by_step(pair.flows, *last);
}

class MovedByStep : public ::testing::Test {
  protected:
    MovedByStep() {
        gradient_.mutable_as<float>()[2] = 1e-6F;
        other_.mutable_as<float>()[2] = -1e-6F;
    }

    const Tensor bias_ = random_tensor({6}, 5);
    Tensor gradient_ = random_tensor({6}, 6);
    Tensor other_ = gradient_;
    [[nodiscard]] Written golden() const { return {bias_, gradient_, by_signs(bias_, gradient_)}; }
};

TEST_F(MovedByStep, takes_in_an_element_whose_gradient_changed_its_sign) {
    EXPECT_TRUE(may_be({bias_, other_, by_signs(bias_, other_)}, golden()));
}

TEST_F(MovedByStep, is_none_of_what_the_gradient_is_sure_of) {
    Tensor edited = gradient_;
    edited.mutable_as<float>()[3] *= -1;
    EXPECT_FALSE(may_be({bias_, other_, by_signs(bias_, edited)}, golden()));
}

TEST_F(MovedByStep, is_no_step_of_another_length) {
    EXPECT_FALSE(may_be({bias_, other_, by_signs(bias_, other_, 2 * kRate)}, golden()));
    EXPECT_FALSE(may_be({bias_, gradient_, bias_}, golden()));
}

}  // namespace
}  // namespace npuscope::compare
