// Against values worked out by hand; sigmoid(1) is 0.7310586, sigmoid(1.702) 0.8457958, and
// GELU(1) by tanh 0.8411920 with the slope 1.0829641.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/diagnose/judge/made_by_fused.h"

namespace npuscope::diagnose {
namespace {

using test::expect_near;
using test::floats;
using test::made_by_fused;

TEST(FusedOps, norm_by_the_root_of_the_mean_square) {
    const auto made = made_by_fused(
        "npu_rms_norm",
        {{"self", floats({1, 2}, {3, 4})}, {"gamma", floats({1, 2})}, {"epsilon", 0.0}});
    expect_near(made[0], {1, 2}, {0.8485281F, 2.2627417F});
    expect_near(made[1], {1, 1}, {0.2828427F});
    const auto added = made_by_fused("npu_add_rms_norm",
                                     {{"x1", floats({1, 2}, {1, 2})},
                                      {"x2", floats({1, 2}, {2, 2})},
                                      {"gamma", floats({1, 2})},
                                      {"epsilon", 0.0}});
    expect_near(added[0], {1, 2}, {0.8485281F, 2.2627417F});
    expect_near(added[2], {1, 2}, {3, 4});
    const auto back = made_by_fused("npu_rms_norm_backward",
                                    {{"dy", floats({1, 2}, {1, 0})},
                                     {"self", floats({1, 2}, {3, 4})},
                                     {"gamma", floats({1, 1})},
                                     {"rstd", floats({1, 1}, {0.2828427F})}});
    expect_near(back[0], {1, 2}, {0.1810193F, -0.1357645F});
    expect_near(back[1], {2}, {0.8485281F, 0});
}

TEST(FusedOps, norm_a_sum) {
    const auto made = made_by_fused("npu_add_layer_norm",
                                    {{"x1", floats({1, 3}, {1, 2, 3})},
                                     {"x2", floats({1, 3}, {1, 2, 6})},
                                     {"gamma", floats({3}, {1, 2, 3})},
                                     {"beta", floats({3}, {0, 1, 0})},
                                     {"epsilon", 0.0}});
    expect_near(made[0], {1, 3}, {-1.0190493F, 0.3206338F, 4.0761973F});
    expect_near(made[1], {1, 1}, {5});
    expect_near(made[3], {1, 3}, {2, 4, 9});
}

TEST(FusedOps, norm_groups_and_activate) {
    const auto made = made_by_fused("npu_group_norm_silu",
                                    {{"input", floats({1, 2, 2}, {1, 2, 3, 5})},
                                     {"weight", floats({2}, {1, 2})},
                                     {"bias", floats({2}, {0, 1})},
                                     {"group", int64_t{1}},
                                     {"eps", 0.0}});
    expect_near(made[0], {1, 2, 2}, {-0.2774339F, -0.1906036F, 1.0599737F, 3.9728221F});
    expect_near(made[1], {1, 1}, {2.75F});
}

TEST(FusedOps, gate_one_half_with_the_other) {
    const Tensor x = floats({1, 2}, {1, 2});
    const Tensor dy = floats({1, 1}, {1});
    expect_near(
        made_by_fused("npu_swiglu", {{"self", x}, {"dim", int64_t{-1}}})[0], {1, 1}, {1.4621172F});
    expect_near(made_by_fused("npu_swiglu_backward",
                              {{"grad_output", dy}, {"self", x}, {"dim", int64_t{-1}}})[0],
                {1, 2},
                {1.8553410F, 0.7310586F});
    const auto geglu = [&](std::vector<float> halves, bool is_left) {
        return made_by_fused("npu_geglu",
                             {{"self", floats({1, 2}, std::move(halves))},
                              {"dim", int64_t{-1}},
                              {"approximate", int64_t{1}},
                              {"activate_left", is_left}});
    };
    expect_near(geglu({2, 1}, false)[0], {1, 1}, {1.6823840F});
    expect_near(geglu({1, 2}, true)[0], {1, 1}, {1.6823840F});
    expect_near(geglu({1, 2}, true)[1], {1, 1}, {0.8411920F});
    expect_near(made_by_fused("npu_geglu_grad",
                              {{"grad_output", dy},
                               {"self", floats({1, 2}, {2, 1})},
                               {"gelu", floats({1, 1}, {0.8411920F})},
                               {"dim", int64_t{-1}},
                               {"approximate", int64_t{1}},
                               {"activate_left", false}})[0],
                {1, 2},
                {0.8411920F, 2.1659282F});
}

TEST(FusedOps, are_activations_and_their_gradients) {
    expect_near(
        made_by_fused("npu_silu_backward", {{"grad_output", floats({1})}, {"x0", floats({1})}})[0],
        {1},
        {0.9276705F});
    expect_near(made_by_fused("fast_gelu", {{"self", floats({1})}})[0], {1}, {0.8457958F});
    expect_near(
        made_by_fused("fast_gelu_backward", {{"grad", floats({1})}, {"self", floats({1})}})[0],
        {1},
        {1.0677795F});
}

TEST(FusedOps, turn_pairs_of_numbers) {
    const Tensor x = floats({1, 4}, {1, 2, 3, 4});
    const Tensor cosine = floats({1, 4}, {2, 2, 2, 2});
    const Tensor sine = floats({1, 4}, {1, 1, 1, 1});
    expect_near(made_by_fused("npu_rotary_mul", {{"self", x}, {"r1", cosine}, {"r2", sine}})[0],
                {1, 4},
                {-1, 0, 7, 10});
    const auto back = made_by_fused("npu_rotary_mul_backward",
                                    {{"grad", sine}, {"self", x}, {"r1", cosine}, {"r2", sine}});
    expect_near(back[0], {1, 4}, {3, 3, 1, 1});
    expect_near(back[1], {1, 4}, {1, 2, 3, 4});
    expect_near(back[2], {1, 4}, {-3, -4, 1, 2});
}

TEST(FusedOps, leave_masked_scores_out) {
    Tensor mask = Tensor::zeros(DType::kUInt8, {1, 3});
    mask.mutable_as<uint8_t>()[2] = 1;
    const auto made =
        made_by_fused("npu_scaled_masked_softmax",
                      {{"x", floats({1, 3}, {1, 2, 3})}, {"mask", mask}, {"scale", Scalar{2.0}}});
    expect_near(made[0], {1, 3}, {0.1192029F, 0.8807971F, 0});
    const auto back = made_by_fused("npu_scaled_masked_softmax_backward",
                                    {{"y_grad", floats({1, 3}, {1, 0, 5})},
                                     {"y", made[0]},
                                     {"mask", mask},
                                     {"scale", Scalar{2.0}}});
    expect_near(back[0], {1, 3}, {0.2099871F, -0.2099871F, 0});
}

TEST(FusedOps, permute_and_reshape_and_back) {
    const std::vector<float> numbers = {0, 1, 2, 3, 4, 5};
    for (const bool is_first : {true, false})
        for (const bool is_opposite : {true, false}) {
            const Shape before = is_first ? Shape{2, 3} : Shape{6};
            const Shape after = is_first ? Shape{6} : Shape{3, 2};
            const Tensor made = made_by_fused("npu_confusion_transpose",
                                              {{"self", floats(before, numbers)},
                                               {"perm", IntList{1, 0}},
                                               {"shape", is_first ? IntList{6} : IntList{2, 3}},
                                               {"transpose_first", is_first}})[0];
            expect_near(made, after, {0, 3, 1, 4, 2, 5});
            expect_near(made_by_fused("npu_confusion_transpose_backward",
                                      {{"grad", made},
                                       {"perm", IntList{1, 0}},
                                       {"shape", IntList(before.begin(), before.end())},
                                       {"transpose_first", is_first != is_opposite}})[0],
                        before,
                        numbers);
        }
    // Where both fit, the flag is the opposite of the forward's.
    expect_near(made_by_fused("npu_confusion_transpose_backward",
                              {{"grad", floats({3, 2}, {0, 3, 1, 4, 2, 5})},
                               {"perm", IntList{1, 0}},
                               {"shape", IntList{2, 3}},
                               {"transpose_first", true}})[0],
                {2, 3},
                numbers);
}

TEST(FusedOps, reject_what_orders_no_axes) {
    for (const IntList& perm : {IntList{0, 0}, IntList{2, 0}, IntList{0, 1, 2}}) {
        const NamedValues how = {{"perm", perm}, {"transpose_first", true}};
        NamedValues there = how;
        there.push_back({"self", floats({2, 3}, {0, 1, 2, 3, 4, 5})});
        there.push_back({"shape", IntList{6}});
        EXPECT_THROW((void)made_by_fused("npu_confusion_transpose", there), Error);
        NamedValues back = how;
        back.push_back({"grad", floats({6}, {0, 1, 2, 3, 4, 5})});
        back.push_back({"shape", IntList{2, 3}});
        EXPECT_THROW((void)made_by_fused("npu_confusion_transpose_backward", back), Error);
    }
}

TEST(FusedOps, multiply_a_linear_layers_gradient) {
    const auto made = made_by_fused("npu_linear_backward",
                                    {{"grad", floats({2, 1}, {1, 2})},
                                     {"input", floats({2, 2}, {1, 2, 3, 4})},
                                     {"weight", floats({1, 2}, {5, 6})}});
    expect_near(made[0], {2, 2}, {5, 6, 10, 12});
    expect_near(made[1], {1, 2}, {7, 10});
}

}  // namespace
}  // namespace npuscope::diagnose
