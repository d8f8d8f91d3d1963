#include "compare/dataflow/earlier_steps.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// Two layers of one shape, a backward pass, and the first layer with another weight.
std::optional<std::string> before(const Tensor& later, bool goes_back = true) {
    const Tensor x = random_tensor({4, 6}, 1);
    const auto layer = [&](const Tensor& weight) {
        return HandMadeOp{"t", {{"self", weight}}, {{"result", transposed(weight)}}};
    };
    const Source source =
        hand_made({layer(random_tensor({6, 6}, 2)),
                   layer(random_tensor({6, 6}, 3)),
                   {goes_back ? "tanh_backward" : "tanh", {{"self", x}}, {{"result", x}}},
                   layer(later)});
    Dataflow flow = trace(source);
    const Side side{source, flow};
    const auto found = given_a_step_before(side, flow.first[3]);
    return found ? std::optional(flow.tensors[*found].path) : std::nullopt;
}

TEST(EarlierSteps, give_the_nearest_tensor_of_the_same_use) {
    const Tensor moved = changed(random_tensor({6, 6}, 2), [](float x) { return x + 0.01F; });
    EXPECT_EQ(before(moved), "/t/1/input/self");
    EXPECT_EQ(before(moved, false), std::nullopt);
}

// The gradient of a layer takes in what the layer took in.
TEST(EarlierSteps, are_told_by_the_first_op_that_takes_in_the_tensor) {
    const auto op = [](const char* name, unsigned weight) {
        const Tensor x = random_tensor({4, 6}, weight + 10);
        const Tensor given = changed(random_tensor({6}, 1), [&](float each) {
            return each + 0.01F * static_cast<float>(weight);
        });
        return HandMadeOp{name, {{"input", x}, {"weight", given}}, {{"result0", x}}};
    };
    const Source source = hand_made({op("native_layer_norm", 1),
                                     op("native_layer_norm", 2),
                                     op("native_layer_norm_backward", 2),
                                     op("native_layer_norm_backward", 1),
                                     op("native_layer_norm", 3),
                                     op("mm_backward", 9),
                                     op("native_layer_norm_backward", 3)});
    Dataflow flow = trace(source);
    const Side side{source, flow};
    const auto before = [&](size_t place) {
        const auto found = given_a_step_before(side, flow.first[place] + 1);
        return found ? flow.tensors[*found].path : "";
    };
    EXPECT_EQ(before(3), "");
    EXPECT_EQ(before(6), "/native_layer_norm_backward/3/input/weight");
}

TEST(EarlierSteps, give_nothing_where_none_moved_it) {
    EXPECT_EQ(before(random_tensor({6, 6}, 2)), std::nullopt);
    EXPECT_EQ(before(random_tensor({6, 6}, 4)), std::nullopt);
}

}  // namespace
}  // namespace npuscope::compare
