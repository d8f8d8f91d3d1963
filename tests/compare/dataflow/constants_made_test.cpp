#include "compare/dataflow/constants_made.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

Tensor filled(float value) {
    Tensor tensor(DType::kFloat32, {3, 4});
    for (float& each : tensor.mutable_as<float>())
        each = value;
    return tensor;
}

/// A state that an op takes in, which the target records how it was made.
bool are_constants(const Tensor& made,
                   const Tensor& had,
                   const Tensor& of = {},
                   const std::string& name = "zeros") {
    const Tensor x = random_tensor({3, 4}, 1);
    const Tensor y = random_tensor({3, 4}, 2);
    const std::vector<std::pair<std::string, Tensor>> taken =
        of.numel() > 1 ? std::vector<std::pair<std::string, Tensor>>{{"self", of}}
                       : std::vector<std::pair<std::string, Tensor>>{};
    const TracedPair pair(hand_made({{name, taken, {{"out", made}}},
                                     {"add", {{"self", x}, {"other", made}}, {{"out", y}}}}),
                          hand_made({{"add", {{"self", x}, {"other", had}}, {{"out", y}}}}));
    return make_equal_constants(pair.flows, {&pair.target.ops.front()}, true);
}

TEST(ConstantsMade, are_what_the_other_side_has_ready) {
    EXPECT_TRUE(are_constants(filled(0), filled(0)));
    EXPECT_TRUE(are_constants(random_tensor({3, 4}, 5), random_tensor({3, 4}, 5)));  // arange, say
}

TEST(ConstantsMade, may_be_made_in_the_shape_of_a_tensor) {
    const Tensor parameter = random_tensor({3, 4}, 7);
    EXPECT_TRUE(are_constants(filled(0), filled(0), parameter, "zeros_like"));
    EXPECT_FALSE(are_constants(filled(0), filled(1), parameter, "zeros_like"));
    EXPECT_FALSE(are_constants(filled(0), filled(0), parameter, "mul"));
}

TEST(ConstantsMade, are_none_where_the_other_side_has_others) {
    EXPECT_FALSE(are_constants(filled(0), filled(1)));
    EXPECT_FALSE(are_constants(random_tensor({3, 4}, 5), random_tensor({3, 4}, 6)));
}

TEST(ConstantsMade, are_none_where_the_other_side_has_numbers_though_more_ops_make_them) {
    const Tensor numbers = random_tensor({3, 4}, 8);
    const HandMadeOp zeros{"zeros", {}, {{"out", filled(0)}}};
    const auto add = [](const Tensor& other) {
        return HandMadeOp{"add",
                          {{"self", random_tensor({3, 4}, 1)}, {"other", other}},
                          {{"out", random_tensor({3, 4}, 2)}}};
    };
    const TracedPair pair(
        hand_made({zeros, zeros, add(filled(0))}),
        hand_made({zeros, step("mul", random_tensor({3, 4}, 9), numbers), add(numbers)}));
    EXPECT_FALSE(make_equal_constants(pair.flows, {&pair.target.ops[1]}, true));
}

TEST(ConstantsMade, may_be_taken_in_by_a_view_that_nobody_recorded) {
    const HandMadeOp mul = step("mul", random_tensor({3, 4}, 1), random_tensor({3, 4}, 2));
    const auto of = [&](const std::vector<std::pair<std::string, Tensor>>& inputs) {
        const TracedPair pair(
            hand_made({{"arange", inputs, {{"out", random_tensor({12}, 3)}}}, mul}),
            hand_made({mul}));
        return make_equal_constants(pair.flows, {&pair.target.ops.front()}, true);
    };
    EXPECT_TRUE(of({}));
    EXPECT_FALSE(of({{"self", random_tensor({4}, 4)}}));
}

TEST(ConstantsMade, are_none_of_a_tensor_that_was_given) {
    EXPECT_FALSE(are_constants(filled(0), filled(0), random_tensor({3, 4}, 7)));
}

}  // namespace
}  // namespace npuscope::compare
