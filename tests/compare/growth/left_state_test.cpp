#include "compare/growth/left_state.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// Two programs that update states; the first ops of both are pairs.
class LeftStates : public testing::Test {
  protected:
    static Tensor state(unsigned number) { return random_tensor({8}, number); }

    static HandMadeOp pure(const std::string& name, unsigned from, unsigned to) {
        return {name, {{"self", state(from)}}, {{"result", state(to)}}};
    }
    static HandMadeOp in_place(const std::string& name, const Tensor& from, const Tensor& to) {
        return {name, {{"self", from}}, {{"self", to}}};
    }

    /// Whether the op of the golden leaves a state that the target, of these ops, does not.
    static bool has(const std::vector<HandMadeOp>& golden_ops,
                    size_t op,
                    const std::vector<HandMadeOp>& more_of_target = {}) {
        std::vector<HandMadeOp> target_ops = {golden_ops.front()};
        target_ops.insert(target_ops.end(), more_of_target.begin(), more_of_target.end());
        const Source target = hand_made(target_ops);
        const Source golden = hand_made(golden_ops);
        Plan plan;
        plan.ops = {{&target.ops[0], &golden.ops[0]}};
        for (size_t i = 1; i < target.ops.size(); ++i)
            plan.ops.push_back({&target.ops[i], nullptr});
        for (size_t i = 1; i < golden.ops.size(); ++i)
            plan.ops.push_back({nullptr, &golden.ops[i]});
        Dataflow mine = trace(target);
        Dataflow theirs = trace(golden);
        const PairedFlows flows(plan, {target, mine}, {golden, theirs});
        return LeftState(flows).has({.only_target = {}, .only_golden = {&golden.ops[op]}});
    }
};

TEST_F(LeftStates, are_what_one_side_alone_writes_over) {
    EXPECT_TRUE(has({pure("relu", 1, 2), in_place("addcdiv_", state(3), state(4))}, 1));
    EXPECT_FALSE(has({pure("relu", 1, 2), pure("addcdiv", 3, 4)}, 1));
}

TEST_F(LeftStates, are_written_in_several_ops_of_which_the_last_one_counts) {
    const std::vector<HandMadeOp> golden = {pure("relu", 1, 2),
                                            in_place("mul_", state(3), state(4)),
                                            in_place("addcdiv_", state(4), state(5))};
    EXPECT_FALSE(has(golden, 1));
    EXPECT_TRUE(has(golden, 2));
}

TEST_F(LeftStates, were_made_by_no_op) {
    EXPECT_FALSE(has({pure("relu", 1, 2), in_place("mul_", state(2), state(4))}, 1));
}

TEST_F(LeftStates, are_taken_in_by_no_later_op) {
    EXPECT_FALSE(
        has({pure("relu", 1, 2), in_place("mul_", state(3), state(4)), pure("exp", 4, 5)}, 1));
}

TEST_F(LeftStates, are_no_numbers_of_steps_and_nothing_that_is_cleared) {
    const Tensor zeros = Tensor::zeros(DType::kFloat32, {8});
    EXPECT_FALSE(has({pure("relu", 1, 2), in_place("zero_", state(3), zeros)}, 1));
    EXPECT_FALSE(has(
        {pure("relu", 1, 2), in_place("add_", random_tensor({1}, 3), random_tensor({1}, 4))}, 1));
}

TEST_F(LeftStates, are_no_copies_of_what_a_pair_updates) {
    const std::vector<HandMadeOp> golden = {in_place("addcdiv_", state(3), state(4)),
                                            in_place("lerp_", state(3), state(5))};
    EXPECT_FALSE(has(golden, 1));
    // A second step of the same.
    EXPECT_TRUE(has({golden.front(), in_place("addcdiv_", state(4), state(5))}, 1));
}

TEST_F(LeftStates, may_be_those_of_other_ops_where_both_sides_have_some) {
    EXPECT_FALSE(has({pure("relu", 1, 2), in_place("addcdiv_", state(3), state(4))},
                     1,
                     {pure("fused_adam", 3, 6)}));
}

TEST_F(LeftStates, are_those_that_no_op_of_the_other_side_takes_in_which_updates_others) {
    const std::vector<HandMadeOp> golden = {
        {"mm", {{"self", state(1)}, {"mat2", state(3)}}, {{"result", state(2)}}},
        in_place("addcdiv_", state(3), state(4))};
    EXPECT_TRUE(has(golden, 1, {in_place("mul_", state(7), state(8))}));
    EXPECT_FALSE(has(golden, 1, {in_place("mul_", state(3), state(8))}));
    EXPECT_FALSE(has(golden, 1, {pure("exp", 7, 8)}));  // its updates are not recorded
}

}  // namespace
}  // namespace npuscope::compare
