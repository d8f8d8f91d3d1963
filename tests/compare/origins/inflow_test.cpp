#include "compare/origins/inflow.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

const Shape kSize = {4, 8};

/// relu, then a product of its transpose with a weight, whose gradient is made beside another.
std::vector<HandMadeOp> small_step(float noise) {
    const auto noisy = [&](unsigned seed) {
        return noise > 0 ? off_by(random_tensor(kSize, seed), noise, seed + 50)
                         : random_tensor(kSize, seed);
    };
    const Tensor hidden = noisy(2);
    const Tensor product = noisy(3);
    return {step("relu", random_tensor(kSize, 1), hidden),
            {"mm",
             {{"self", transposed(hidden)}, {"mat2", random_tensor(kSize, 9)}},
             {{"result", product}, {"kept", noisy(7)}},
             "",
             ""},
            {"mm_backward",
             {{"grad", product}},
             {{"result0", noisy(4)}, {"result1", noisy(5)}},
             "",
             ""},
            step("exp", noisy(4), noisy(6))};
}

struct Followed {
    TracedPair pair;
    Result result;
    Inflows inflows;

    Followed(const std::vector<HandMadeOp>& target, const std::vector<HandMadeOp>& golden)
        : pair(hand_made(target), hand_made(golden)),
          result(compared(target, golden)),
          inflows(pair.flows, result) {}
};

TEST(Inflows, tell_which_pair_made_an_input_and_how_far_it_is_off) {
    const Followed followed(small_step(0.01F), small_step(0));
    const std::vector<Inflow> of_mm = followed.inflows.of(1);
    ASSERT_EQ(of_mm.size(), 2u);
    EXPECT_EQ(of_mm[0].maker, 0u) << "by its elements, transposed";
    EXPECT_GT(of_mm[0].error, 0.001);
    EXPECT_FALSE(of_mm[1].maker.has_value()) << "nobody made the weight";
    EXPECT_EQ(of_mm[1].error, 0);
    EXPECT_EQ(followed.inflows.of(3).at(0).maker, 2u);
}

TEST(Inflows, know_the_last_outputs_and_gradients) {
    const Followed followed(small_step(0), small_step(0));
    const auto is_last = [&](size_t op, size_t tensor) {
        return followed.inflows.is_last(followed.result.ops[op],
                                        followed.result.ops[op].tensors[tensor]);
    };
    EXPECT_FALSE(is_last(0, 0)) << "an input";
    EXPECT_FALSE(is_last(0, 1));
    EXPECT_FALSE(is_last(1, 3)) << "kept beside a result that goes on";
    EXPECT_FALSE(is_last(2, 1));
    EXPECT_TRUE(is_last(2, 2)) << "a gradient that no op takes in";
    EXPECT_TRUE(is_last(3, 1));
}

// Of a target that holds outputs only the golden's way counts.
TEST(Inflows, go_by_the_golden_where_the_target_has_no_inputs) {
    std::vector<HandMadeOp> outputs = small_step(0.01F);
    for (HandMadeOp& op : outputs)
        op.inputs.clear();
    const Followed followed(outputs, small_step(0));
    EXPECT_FALSE(followed.inflows.by_target());
    EXPECT_EQ(followed.inflows.of(1).at(0).maker, 0u);
    EXPECT_GT(followed.inflows.of(1).at(0).error, 0.001) << "of what relu made";
}

}  // namespace
}  // namespace npuscope::compare
