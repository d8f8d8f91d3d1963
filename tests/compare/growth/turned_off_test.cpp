#include "compare/growth/turned_off.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

Tensor row_of(const std::vector<float>& values) {
    return Tensor::from<float>({static_cast<int64_t>(values.size())}, values);
}

/// Of the second of an op's two results.
TurnedOff turned_off_in(const std::vector<float>& target,
                        const std::vector<float>& golden,
                        const std::string& op = "threshold_backward") {
    const auto side = [&](const std::vector<float>& values) {
        return hand_made({{op, {}, {{"first", row_of({1, 2})}, {"second", row_of(values)}}}});
    };
    const Source mine = side(target);
    const Source theirs = side(golden);
    TensorResult result;
    result.target = result.golden = "/" + op + "/1/output/second";
    return turned_off({&mine.ops[0], &theirs.ops[0]}, result);
}

TEST(TurnedOff, counts_what_is_zero_on_one_side_alone) {
    const TurnedOff found = turned_off_in({3, 0, 4, 0, 7, 0, 0, 0}, {3, 1, 4, 0, 0, 0, 0, 0});
    EXPECT_EQ(found.share, 0.25);
    EXPECT_EQ(found.both, 0.5);
    EXPECT_EQ(found.rest_norm, 0);
}

TEST(TurnedOff, measures_what_is_left_against_all_of_the_golden) {
    // |(0, 1.25)| of |(3, 4, 12)|.
    const TurnedOff found = turned_off_in({3, 5.25F, 0, 0}, {3, 4, 12, 0});
    EXPECT_EQ(found.share, 0.25);
    EXPECT_DOUBLE_EQ(found.rest_norm, 1.25 / 13);
}

TEST(TurnedOff, finds_nothing_where_zeros_lie_alike) {
    EXPECT_EQ(turned_off_in({0, 2, 0}, {0, 1, 0}).share, 0);
    EXPECT_EQ(turned_off_in({0, 2, 0}, {0, 1, 0}).rest_norm, 1);
}

TEST(TurnedOff, counts_what_a_gate_that_leaks_turns) {
    const std::vector<float> golden = {3, 4, -12, 0.25F, 20, 20, 20, 20};
    const std::vector<float> target = {0.3F, 4, -1.2F, 2.5F, 20, 20, 20, 20};
    const TurnedOff found = turned_off_in(target, golden, "leaky_relu_backward");
    EXPECT_EQ(found.share, 3.0 / 8);
    EXPECT_LT(found.rest_norm, 1e-7);
    // Another slope at one of them, and an op that is no gate.
    EXPECT_EQ(
        turned_off_in({0.3F, 4, -1.2F, 0.5F, 20, 20, 20, 20}, golden, "leaky_relu_backward").share,
        0.25);
    EXPECT_EQ(turned_off_in(target, golden, "tanh_backward").share, 0);
}

TEST(TurnedOff, looks_at_the_gradients_of_a_loss_that_was_scaled_without_the_scale) {
    std::vector<float> golden;
    for (int i = 0; i < 64; ++i)
        golden.push_back(static_cast<float>(i % 7) + 1);
    std::vector<float> target = golden;
    target[1] /= 100;
    for (float& each : target)
        each *= 1024;
    const TurnedOff found = turned_off_in(target, golden, "leaky_relu_backward");
    EXPECT_EQ(found.share, 1.0 / 64);
    EXPECT_LT(found.rest_norm, 1e-7);
}

/// Of the result of ops that take in a gradient, and an argument of another shape.
bool are_gates(const std::vector<float>& target_gradient,
               const std::vector<float>& target,
               const std::vector<float>& golden_gradient,
               const std::vector<float>& golden) {
    const auto side = [](const std::vector<float>& gradient, const std::vector<float>& values) {
        return hand_made({{"relu_backward",
                           {{"limit", row_of({0})}, {"grad", row_of(gradient)}},
                           {{"result", row_of(values)}}}});
    };
    const Source mine = side(target_gradient, target);
    const Source theirs = side(golden_gradient, golden);
    TensorResult result;
    result.target = result.golden = "/relu_backward/1/output/result";
    return turned_off({&mine.ops[0], &theirs.ops[0]}, result).is_gate;
}

TEST(TurnedOff, tells_a_gate_by_what_it_lets_through) {
    EXPECT_TRUE(are_gates({3, 5, 7}, {3, 0, 7}, {3, 5, 7}, {3, 5, 0}));
    // 7 * 255 / 256, as bfloat16 has it.
    EXPECT_TRUE(are_gates({3, 5, 7}, {3, 0, 6.9727F}, {3, 5, 7}, {3, 5, 0}));
}

TEST(TurnedOff, takes_nothing_for_a_gate_that_changes_an_element_on_either_side) {
    EXPECT_FALSE(are_gates({3, 5, 7}, {3, 0, 8}, {3, 5, 7}, {3, 5, 0}));
    EXPECT_FALSE(are_gates({3, 5, 7}, {3, 0, 7}, {3, 5, 7}, {3, 6, 0}));
    EXPECT_FALSE(are_gates({0, 5, 7}, {3, 0, 7}, {3, 5, 7}, {3, 5, 0}));
}

TEST(TurnedOff, says_nothing_of_other_sizes) {
    const TurnedOff found = turned_off_in({0, 1, 2}, {1, 0, 2, 0});
    EXPECT_EQ(found.share, 0);
    EXPECT_EQ(found.rest_norm, 0);
}

TEST(TurnedOff, says_nothing_of_a_tensor_that_the_ops_do_not_have) {
    const Source source = hand_made({{"relu", {}, {{"result", row_of({0, 1})}}}});
    TensorResult result;
    result.target = result.golden = "/relu/2/output/result";
    EXPECT_EQ(turned_off({&source.ops[0], &source.ops[0]}, result).share, 0);
}

}  // namespace
}  // namespace npuscope::compare
