#include "compare/relate/kinship.h"

#include <gtest/gtest.h>

#include "compare/relate/relate.h"
#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::add_op;
using test::changed;
using test::random_tensor;

/// Two recordings of one op each, of these names, whose results have one shape.
struct TwoOps {
    TwoOps(const std::string& target, const std::string& golden, const Shape& shape) {
        add_op(one, target, {random_tensor({8, 8}, 1)}, random_tensor(shape, 2));
        add_op(other, golden, {random_tensor({8, 8}, 3)}, random_tensor(shape, 4));
        mine = list_tensors(one);
        theirs = list_tensors(other);
    }

    [[nodiscard]] const ListedTensor& input() const { return mine.tensors[mine.in[0].at(0)]; }
    [[nodiscard]] const ListedTensor& result() const { return mine.tensors[mine.out[0].at(0)]; }
    [[nodiscard]] const ListedTensor& golden_result() const {
        return theirs.tensors[theirs.out[0].at(0)];
    }

    Source one;
    Source other;
    Listing mine;
    Listing theirs;
};

/// What their results are to each other.
Kinship kinship(const std::string& target, const std::string& golden, const Shape& shape) {
    const TwoOps ops(target, golden, shape);
    return Kin(ops.one, ops.other).of(ops.result(), ops.golden_result());
}

bool may_be_one(const std::string& target, const std::string& golden, const Shape& shape) {
    const TwoOps ops(target, golden, shape);
    const Kin kin(ops.one, ops.other);
    EXPECT_TRUE(kin.may_be_one(ops.input(), ops.golden_result()));
    return kin.may_be_one(ops.result(), ops.golden_result());
}

TEST(Kinship, takes_other_steps_for_one_only_where_they_are_akin) {
    EXPECT_TRUE(may_be_one("mm", "matmul", {4, 8}));
    EXPECT_TRUE(may_be_one("add", "addmm", {4, 8}));
    EXPECT_TRUE(may_be_one("view", "mm", {4, 8}));
    EXPECT_FALSE(may_be_one("mm", "native_layer_norm", {4, 8}));
    // Of a bias, and of what flows on.
    EXPECT_TRUE(may_be_one("add_backward", "linear_backward", {8}));
    EXPECT_FALSE(may_be_one("add_backward", "linear_backward", {4, 8}));
}

TEST(Kinship, reads_names_of_any_framework) {
    for (const char* name : {"add", "add_Tensor", "aten::add_.Tensor", "Add", "add_"})
        EXPECT_EQ(step_of(name), OpStep::kSum) << name;
    EXPECT_EQ(step_of("Gemm"), OpStep::kProductAndSum);
    EXPECT_EQ(step_of("BatchMatMulV2"), OpStep::kProduct);
    EXPECT_EQ(step_of("RealDiv"), OpStep::kScaling);
    EXPECT_EQ(step_of("mul_Tensor_backward"), OpStep::kScalingGradient);
    EXPECT_EQ(step_of("npu_rms_norm"), OpStep::kNorm);
    EXPECT_EQ(step_of("native_layer_norm_backward"), OpStep::kNormGradient);
    EXPECT_EQ(step_of("npu_rms_norm_backward"), OpStep::kRmsNormGradient);
    EXPECT_EQ(step_of("_fused_rms_norm_backward"), OpStep::kRmsNormGradient);
    EXPECT_EQ(step_of("LayerNormalization"), OpStep::kNorm);
    for (const char* name : {"adder", "normal_", "linalg_vector_norm"})
        EXPECT_EQ(step_of(name), OpStep::kAny) << name;
    EXPECT_EQ(step_of(""), OpStep::kAny);
}

TEST(Kinship, tells_single_steps_apart_and_wholes_from_what_is_inside) {
    const Shape shape{4, 8};
    EXPECT_EQ(kinship("add", "div", shape), Kinship::kUnlike);
    EXPECT_EQ(kinship("mul", "div", shape), Kinship::kUnknown);  // by 0.5, by 2
    EXPECT_EQ(kinship("layer_norm", "sub", shape), Kinship::kUnlike);
    EXPECT_EQ(kinship("layer_norm", "add", shape), Kinship::kAkin);
    EXPECT_EQ(kinship("addmm", "add", shape), Kinship::kAkin);
    EXPECT_EQ(kinship("mul", "npu_rotary_mul", shape), Kinship::kUnlike);
    EXPECT_EQ(kinship("addmm", "mm", shape), Kinship::kAkin);  // a bias may be missing
    EXPECT_EQ(kinship("softmax", "add", shape), Kinship::kUnknown);
}

TEST(Kinship, tells_a_norms_gradients_by_what_they_are_of) {
    const std::string whole = "layer_norm_backward";
    EXPECT_EQ(kinship(whole, "mul_backward", {4, 8}), Kinship::kUnlike);
    EXPECT_EQ(kinship(whole, "mul_backward", {8}), Kinship::kAkin);
    EXPECT_EQ(kinship(whole, "mean_dim_backward", {4, 8}), Kinship::kAkin);
    EXPECT_EQ(kinship(whole, "mean_dim_backward", {8}), Kinship::kUnknown);
    EXPECT_EQ(kinship("linear_backward", "add_backward", {8}), Kinship::kAkin);
}

/// A sum passes on what comes back to it; beside a residual that is large it is near to both.
TEST(Kinship, tells_what_a_sum_passes_back_from_what_others_make_of_it) {
    for (const char* other : {"layer_norm_backward", "npu_rms_norm_backward", "mul_backward"}) {
        EXPECT_EQ(kinship("add_backward", other, {4, 8}), Kinship::kUnlike) << other;
        EXPECT_EQ(kinship(other, "add_backward", {4, 8}), Kinship::kUnlike) << other;
    }
    EXPECT_EQ(kinship("add_backward", "layer_norm_backward", {8}), Kinship::kAkin);
    EXPECT_EQ(kinship("add_backward", "mul_backward", {8}), Kinship::kUnknown);
}

/// x / rms(x): the mean is of its squares.
TEST(Kinship, tells_an_rms_norms_gradient_from_that_of_the_mean_in_it) {
    const std::string whole = "npu_rms_norm_backward";
    EXPECT_EQ(kinship(whole, "mean_dim_backward", {4, 8}), Kinship::kUnlike);
    EXPECT_EQ(kinship(whole, "pow_Tensor_Scalar_backward", {4, 8}), Kinship::kAkin);
    EXPECT_EQ(kinship(whole, "mul_backward", {4, 8}), Kinship::kUnlike);
    EXPECT_EQ(kinship(whole, "mul_backward", {8}), Kinship::kAkin);
    EXPECT_EQ(kinship(whole, "rms_norm_backward", {8}), Kinship::kAkin);
}

/// The path of what a result of the target is paired with; "" without one.
std::string partner_of(const Source& target, size_t op, const Source& golden) {
    const Relations relations = relate(target, golden);
    const size_t result = relations.target.out[op].at(0);
    for (const TensorRelation& each : relations.found)
        if (each.target == result) return relations.golden.tensors[each.golden].path;
    return "";
}

/// As near as rounding leaves them, but ops that do not make the same.
TEST(Kinship, keeps_what_is_masked_from_what_is_scaled) {
    const Tensor x = random_tensor({12, 16}, 1);
    const Tensor scaled = changed(x, 0.125F);
    const Tensor masked = changed(x, 0.1251F);
    Source target;
    add_op(target, "div", {x}, scaled);
    Source golden;
    add_op(golden, "add", {x}, masked);
    EXPECT_EQ(partner_of(target, 0, golden), "");
    Source like;
    add_op(like, "mul", {x}, masked);
    EXPECT_NE(partner_of(target, 0, like), "");
}

}  // namespace

}  // namespace npuscope::compare
