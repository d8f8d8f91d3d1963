#include "compare/growth/little_scaling.h"

#include <optional>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kMade = random_tensor({6, 4}, 1).cast(DType::kFloat16).cast(DType::kFloat32);

Tensor in_float16(const Tensor& tensor) {
    return tensor.cast(DType::kFloat16).cast(DType::kFloat32);
}

/// Whether an op `name` that the target has more, behind the first and before `taker`, is told as a
/// scaling that is hidden.
/// `by`: the number that is recorded.
bool is_told(const std::string& name,
             const Tensor& scaled,
             const std::string& taker = "relu",
             std::optional<double> by = {}) {
    Source target = hand_made({{"mm", {}, {{"out", kMade}}},
                               {name, {{"self", kMade}}, {{"out", scaled}}},
                               {taker, {{"self", scaled}}, {{"out", scaled}}}});
    if (by)
        target.ops[1].facts = [by] {
            return SideFacts{.arguments = {{.name = "other", .numbers = {*by}}}};
        };
    const Source golden =
        hand_made({{"mm", {}, {{"out", kMade}}}, {taker, {{"self", kMade}}, {{"out", kMade}}}});
    const Plan plan{.ops = {{&target.ops[0], &golden.ops[0]},
                            {.target = &target.ops[1]},
                            {&target.ops[2], &golden.ops[1]}}};
    Dataflow mine = trace(target);
    Dataflow theirs = trace(golden);
    const PairedFlows flows(plan, {target, mine}, {golden, theirs});
    return !little_scalings(flows, {{.only_target = {&target.ops[1]}, .only_golden = {}}}).empty();
}

Tensor scaled_by(float factor) {
    return changed(kMade, [factor](float value) { return factor * value; });
}

TEST(LittleScaling, is_more_than_rounding) {
    EXPECT_TRUE(is_told("mul_Tensor", in_float16(scaled_by(1.001F))));
    EXPECT_TRUE(is_told("div_Tensor", in_float16(scaled_by(0.99F))));
    EXPECT_TRUE(is_told("mul_Tensor", scaled_by(1.00001F)));
}

/// A relu of what is hardly ever negative.
TEST(LittleScaling, may_be_a_function_that_changes_little) {
    EXPECT_TRUE(is_told("relu", in_float16(scaled_by(1.001F))));
    EXPECT_TRUE(is_told("tanh", in_float16(scaled_by(0.99F))));
}

TEST(LittleScaling, is_no_other_way_to_write_a_program) {
    EXPECT_FALSE(is_told("mul_Tensor", kMade));
    EXPECT_FALSE(is_told("mul_Tensor", in_float16(scaled_by(1.0001F))));
    EXPECT_FALSE(is_told("mul_Tensor", scaled_by(1.0000001F)));
    EXPECT_FALSE(is_told("mul_Tensor", in_float16(scaled_by(0.25F))));
    EXPECT_FALSE(is_told("sum_dim_IntList", in_float16(scaled_by(1.001F))));
    EXPECT_FALSE(is_told("relu", in_float16(scaled_by(1.03F))));
}

// In float16 1.0002 changes some elements by a rounding, and others not at all.
TEST(LittleScaling, is_a_recorded_number_near_one) {
    const Tensor scaled = in_float16(scaled_by(1.0002F));
    EXPECT_FALSE(is_told("mul_Tensor", scaled));
    EXPECT_TRUE(is_told("mul_Tensor", scaled, "relu", 1.0002));
    EXPECT_FALSE(is_told("mul_Tensor", scaled, "relu", 1));
    EXPECT_FALSE(is_told("mul_Tensor", in_float16(scaled_by(0.25F)), "relu", 0.25));
}

TEST(LittleScaling, is_any_that_a_norm_levels) {
    EXPECT_TRUE(is_told("mul_Tensor", scaled_by(3), "native_layer_norm"));
    EXPECT_FALSE(is_told("mul_Tensor", scaled_by(3), "relu"));
    EXPECT_FALSE(is_told("mul_Tensor", kMade, "native_layer_norm"));
}

}  // namespace
}  // namespace npuscope::compare
