#include "compare/programs/replay_causes.h"

#include <gtest/gtest.h>

#include "compare/match.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// One layer, the second without bias in the target, behind which the golden sums a gradient more;
/// then a sum of gradients, which is apart for it, or for another reason.
std::optional<Cause> cause_of(bool is_made_of_it) {
    const Tensor input = random_tensor({6, 3}, 1);
    const Tensor weight = random_tensor({3, 4}, 2);
    const Tensor result = random_tensor({6, 4}, 3);
    const Tensor gradient = random_tensor({4}, 5);
    const HandMadeOp product = {"mm", {{"self", input}, {"mat2", weight}}, {{"out", result}}};
    const HandMadeOp sum = {"add_", {{"self", gradient}}, {{"out", gradient}}};
    const Source target = hand_made({product, product, sum});
    const Source golden =
        hand_made({product,
                   {"addmm",
                    {{"self", random_tensor({4}, 4)}, {"mat1", input}, {"mat2", weight}},
                    {{"out", result}}},
                   {"sum", {{"self", result}}, {{"out", gradient}}},
                   sum});
    const Plan plan{.ops = {{.target = &target.ops[0], .golden = &golden.ops[0]},
                            {.target = &target.ops[1], .golden = &golden.ops[1]},
                            {.golden = &golden.ops[2]},
                            {.target = &target.ops[2], .golden = &golden.ops[3]}}};
    Dataflow mine = trace(target);
    Dataflow theirs = trace(golden);
    const PairedFlows flows(plan, {target, mine}, {golden, theirs});
    Replay replay;
    replay.first_apart.emplace();
    replay.first_apart->pair = 3;
    replay.first_apart->target = "/add_/3/output/out";
    replay.golden_ops = {&golden.ops[3]};
    if (is_made_of_it) replay.golden_ops.push_back(&golden.ops[2]);
    return missing_bias(plan, flows, replay, places_of(plan));
}

TEST(ReplayCauses, are_a_bias_whose_gradient_the_golden_alone_sums) {
    const auto cause = cause_of(true);
    ASSERT_TRUE(cause);
    EXPECT_EQ(cause->place, 1U);
    EXPECT_EQ(cause->text,
              "the golden's /addmm/2 adds a bias, and /mm/2 does not; the target sums no gradient "
              "of it there, and /add_/3/output/out is off");
    EXPECT_FALSE(cause_of(false));
}

/// Two products, and a sum of the first's result and another number; in the target of the second's
/// where it is `crossed`.
bool take_in_the_same(bool crossed) {
    const Tensor one = random_tensor({6, 4}, 1);
    const Tensor other = random_tensor({6, 4}, 2);
    const auto program = [&](const Tensor& taken) {
        return hand_made({{"mm", {{"self", random_tensor({6, 3}, 3)}}, {{"out", one}}},
                          {"mm", {{"self", random_tensor({6, 3}, 4)}}, {{"out", other}}},
                          {"add", {{"self", taken}}, {{"out", random_tensor({6, 4}, 5)}}}});
    };
    const Source target = program(crossed ? other : one);
    const Source golden = program(one);
    const Plan plan{.ops = {{.target = &target.ops[0], .golden = &golden.ops[0]},
                            {.target = &target.ops[1], .golden = &golden.ops[1]},
                            {.target = &target.ops[2], .golden = &golden.ops[2]}}};
    Dataflow mine = trace(target);
    Dataflow theirs = trace(golden);
    const PairedFlows flows(plan, {target, mine}, {golden, theirs});
    EXPECT_FALSE(take_in_partners(flows, {.golden = &golden.ops[2]}));
    EXPECT_FALSE(take_in_partners(flows, {.target = &target.ops[2]}));
    // What nobody made proves nothing.
    EXPECT_FALSE(take_in_partners(flows, plan.ops[0]));
    return take_in_partners(flows, plan.ops[2]);
}

TEST(ReplayCauses, are_numbers_of_ops_that_take_in_the_same) {
    EXPECT_TRUE(take_in_the_same(false));
    EXPECT_FALSE(take_in_the_same(true));
}

/// A sum with another vector than the golden's, which the target takes in elsewhere where it is
/// `known`; whether that vector is another one for sure. What is added to is off by `off`.
bool is_another(bool known, double off) {
    const Tensor rows = random_tensor({6, 4}, 1);
    const Tensor mine = random_tensor({4}, 2);
    const Tensor theirs = random_tensor({4}, 3);
    const auto sum_of = [&](const Tensor& vector) -> HandMadeOp {
        return {"add", {{"self", rows}, {"other", vector}}, {{"out", random_tensor({6, 4}, 5)}}};
    };
    const HandMadeOp last = {
        "relu", {{"self", known ? theirs : mine}}, {{"out", random_tensor({4}, 6)}}};
    const Source target = hand_made({sum_of(mine), last});
    const Source golden = hand_made({sum_of(theirs), last});
    const Plan plan{.ops = {{.target = &target.ops[0], .golden = &golden.ops[0]}}};
    Dataflow one = trace(target);
    Dataflow other = trace(golden);
    const PairedFlows flows(plan, {target, one}, {golden, other});
    OpResult op;
    for (const std::string name : {"self", "other"}) {
        TensorResult& input = op.tensors.emplace_back();
        input.direction = dumpfile::Direction::kInput;
        input.target = input.golden = "/add/1/input/" + name;
        input.metrics = {0};
        input.sums.numel = 24;
        input.sums.gg = 1;
        input.sums.dd = name == "self" ? off * off : 1;
    }
    EXPECT_FALSE(is_another_given(flows, plan.ops[0], op, "/add/1/input/none"));
    return is_another_given(flows, plan.ops[0], op, "/add/1/input/other");
}

TEST(ReplayCauses, are_given_tensors_beside_which_all_is_the_same) {
    EXPECT_TRUE(is_another(false, 1e-5));
    EXPECT_FALSE(is_another(true, 1e-5));
    EXPECT_FALSE(is_another(false, 0.01));
}

}  // namespace
}  // namespace npuscope::compare
