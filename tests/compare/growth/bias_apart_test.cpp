#include "compare/growth/bias_apart.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

Tensor of(const Shape& shape, const std::vector<float>& values) {
    return Tensor::from<float>(shape, values);
}

const Tensor kRows = of({2, 3}, {1, 2, 3, 4, 5, 6});
const Tensor kIdentity = of({3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1});

HandMadeOp with_bias(const Tensor& bias, const Tensor& out) {
    return {"addmm", {{"self", bias}, {"mat1", kRows}, {"mat2", kIdentity}}, {{"out", out}}};
}

HandMadeOp without(const Tensor& out) {
    return {"mm", {{"self", kRows}, {"mat2", kIdentity}}, {{"out", out}}};
}

/// Of the first op of each side; by 0.01 of the norm nothing is off.
std::string bias_between(const Source& target, const Source& golden) {
    const Plan plan{.ops = {{&target.ops[0], &golden.ops[0]}}};
    Result result;
    result.ops.resize(1);
    TensorResult& tensor = result.ops[0].tensors.emplace_back();
    tensor.target = target.ops[0].path + "/output/out";
    tensor.golden = golden.ops[0].path + "/output/out";
    const MeasuredRun run{.tensor = &tensor};
    Dataflow mine = trace(target);
    Dataflow theirs = trace(golden);
    const PairedFlows flows(plan, {target, mine}, {golden, theirs});
    return bias_apart(plan.ops[0],
                      run,
                      0.01,
                      SideDistances(flows.target(), true, plan, result),
                      SideDistances(flows.golden(), false, plan, result));
}

TEST(BiasApart, names_the_bias_that_results_differ_by_on_either_side) {
    const Source has =
        hand_made({with_bias(of({3}, {10, -20, 30}), of({2, 3}, {11, -18, 33, 14, -15, 36}))});
    const Source lacks = hand_made({without(kRows)});
    EXPECT_EQ(bias_between(has, lacks),
              "it differs by /addmm/1/input/self alone, and nothing that was recorded takes in "
              "/mm/1/output/out");
    EXPECT_EQ(bias_between(lacks, has), bias_between(has, lacks));
}

TEST(BiasApart, finds_a_part_of_the_bias_of_what_is_fused) {
    const Source has = hand_made(
        {with_bias(of({5}, {7, 10, -20, 30, 7}), of({2, 3}, {11, -18, 33, 14, -15, 36}))});
    EXPECT_NE(bias_between(has, hand_made({without(kRows)})), "");
}

TEST(BiasApart, says_nothing_of_what_differs_by_more_or_by_another_vector) {
    const Source lacks = hand_made({without(kRows)});
    const Tensor bias = of({3}, {10, -20, 30});
    // The last element is 37.
    EXPECT_EQ(
        bias_between(hand_made({with_bias(bias, of({2, 3}, {11, -18, 33, 14, -15, 37}))}), lacks),
        "");
    EXPECT_EQ(
        bias_between(
            hand_made({with_bias(of({3}, {10, 20, 30}), of({2, 3}, {11, -18, 33, 14, -15, 36}))}),
            lacks),
        "");
}

TEST(BiasApart, says_nothing_where_an_op_takes_in_the_product) {
    const Source has =
        hand_made({with_bias(of({3}, {10, -20, 30}), of({2, 3}, {11, -18, 33, 14, -15, 36}))});
    EXPECT_EQ(bias_between(
                  has, hand_made({without(kRows), {"relu", {{"self", kRows}}, {{"out", kRows}}}})),
              "");
}

/// Its recorder keeps what the backward pass needs.
TEST(BiasApart, passes_over_what_a_gradient_was_made_of) {
    const Tensor product = of({2, 3}, {8, 1, 2, 3, 4, 9});
    const Source has =
        hand_made({with_bias(of({3}, {10, -20, 30}), of({2, 3}, {18, -19, 32, 13, -16, 39}))});
    const Source lacks =
        hand_made({without(product), {"gelu_backward", {{"self", product}}, {{"out", kRows}}}});
    EXPECT_NE(bias_between(has, lacks), "");
}

TEST(BiasApart, says_nothing_where_both_or_neither_are_given_a_vector) {
    const Source has =
        hand_made({with_bias(of({3}, {10, -20, 30}), of({2, 3}, {11, -18, 33, 14, -15, 36}))});
    const Source other = hand_made({with_bias(of({3}, {1, 1, 1}), kRows)});
    EXPECT_EQ(bias_between(has, other), "");
    EXPECT_EQ(bias_between(hand_made({without(kRows)}), hand_made({without(kIdentity)})), "");
}

}  // namespace
}  // namespace npuscope::compare
