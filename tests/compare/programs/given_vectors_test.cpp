#include "compare/programs/given_vectors.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kInput = random_tensor({6, 3}, 1);
const Tensor kWeight = random_tensor({3, 4}, 2);
const Tensor kMade = random_tensor({6, 4}, 3);

/// A layer without bias on one side, with one on the other, and what its gradient is summed from;
/// whether the bias is missed.
bool is_missed(int64_t of_bias, int64_t of_sum) {
    const Source target =
        hand_made({{"mm", {{"self", kInput}, {"mat2", kWeight}}, {{"out", kMade}}}});
    const Source golden =
        hand_made({{"addmm",
                    {{"self", random_tensor({of_bias}, 4)}, {"mat1", kInput}, {"mat2", kWeight}},
                    {{"out", kMade}}},
                   {"sum", {{"self", kMade}}, {{"out", random_tensor({of_sum}, 5)}}}});
    const Plan plan{
        .ops = {{.target = &target.ops[0], .golden = &golden.ops[0]}, {.golden = &golden.ops[1]}}};
    Dataflow mine = trace(target);
    Dataflow theirs = trace(golden);
    const PairedFlows flows(plan, {target, mine}, {golden, theirs});
    EXPECT_EQ(given_vectors({golden, theirs}, {&golden.ops[0]}), std::vector<int64_t>{of_bias});
    EXPECT_FALSE(lacks_bias(plan, flows, {&target.ops[0]}, {&golden.ops[1]}));
    return lacks_bias(plan, flows, {&target.ops[0]}, {&golden.ops[0]});
}

TEST(GivenVectors, tell_a_bias_by_its_gradient) {
    EXPECT_TRUE(is_missed(4, 4));
    EXPECT_FALSE(is_missed(4, 6));
}

TEST(GivenVectors, tell_a_bias_by_its_gradient_among_those_of_one_op) {
    const Tensor bias = random_tensor({4}, 4);
    const auto layer = [&](bool has_bias) {
        HandMadeOp forward{
            "convolution", {{"input", kInput}, {"weight", kWeight}}, {{"result", kMade}}};
        HandMadeOp backward{"convolution_backward",
                            {{"grad_output", kMade}},
                            {{"result0", kInput}, {"result1", kWeight}}};
        if (has_bias) {
            forward.inputs.push_back({"bias", bias});
            backward.outputs.push_back({"result2", random_tensor({4}, 5)});
        }
        return hand_made({forward, backward});
    };
    const auto is_missed_by = [](const Source& target, const Source& golden) {
        const Plan plan{.ops = {{.target = &target.ops[0], .golden = &golden.ops[0]},
                                {.target = &target.ops[1], .golden = &golden.ops[1]}}};
        Dataflow mine = trace(target);
        Dataflow theirs = trace(golden);
        const PairedFlows flows(plan, {target, mine}, {golden, theirs});
        return lacks_bias(plan, flows, {&target.ops[0]}, {&golden.ops[0]});
    };
    EXPECT_TRUE(is_missed_by(layer(false), layer(true)));
    EXPECT_FALSE(is_missed_by(layer(true), layer(true)));
    EXPECT_FALSE(is_missed_by(layer(false), layer(false)));
}

}  // namespace
}  // namespace npuscope::compare
