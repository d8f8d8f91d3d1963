#include "compare/dataflow/other_state.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// Of an op in place, whose state `mine` should be `theirs`.
bool is_other(const std::string& op, const Tensor& mine, const Tensor& theirs) {
    const Tensor by = random_tensor({4, 6}, 7);
    const auto program = [&](const Tensor& state) {
        return hand_made({{op, {{"self", state}, {"other", by}}, {{"self", by}}}});
    };
    const Source target = program(mine);
    const Source golden = program(theirs);
    Dataflow target_flow = trace(target);
    Dataflow golden_flow = trace(golden);
    Plan plan;
    plan.ops.push_back({target.ops.data(), golden.ops.data()});
    const PairedFlows flows(plan, Side{target, target_flow}, Side{golden, golden_flow});
    return OtherStates(flows).has(0, 0, relation_of(mine, theirs));
}

Tensor times(const Tensor& tensor, float factor) {
    Tensor result = tensor;
    for (float& each : result.mutable_as<float>())
        each *= factor;
    return result;
}

TEST(OtherState, is_what_no_noise_makes_of_the_goldens) {
    const Tensor state = random_tensor({4, 6}, 1);
    EXPECT_TRUE(is_other("mul__Tensor", times(state, 0), state));
    EXPECT_TRUE(is_other("mul__Tensor", times(state, 0.9F), state));
    Tensor edited = state;
    for (size_t i = 0; i < 9; ++i)
        edited.mutable_as<float>()[i] += 1;
    EXPECT_TRUE(is_other("mul__Tensor", edited, state));
    EXPECT_FALSE(is_other("mul__Tensor", random_tensor({4, 6}, 2), state));
    EXPECT_FALSE(is_other("mul__Tensor", state, state));
}

TEST(OtherState, is_none_of_a_scaled_loss_nor_of_ops_that_keep_nothing) {
    const Tensor state = random_tensor({4, 6}, 1);
    EXPECT_FALSE(is_other("mul__Tensor", times(state, 65536), state));
    EXPECT_FALSE(is_other("mul__Tensor", times(state, 0x1p-10F), state));
    EXPECT_FALSE(is_other("mul_Tensor", times(state, 0.9F), state));
}

/// Of ten states, of which the golden's first is a random one, and `others` of the rest differ.
bool is_other_among_ten(size_t others) {
    std::vector<HandMadeOp> ops[2];
    for (unsigned i = 0; i < 10; ++i)
        for (const bool of_target : {false, true}) {
            const bool differs = of_target && (i == 0 || i > 9 - others);
            const Tensor state = random_tensor({4, 6}, differs ? 100 + i : i);
            ops[of_target ? 0 : 1].push_back(
                {"mul__Tensor", {{"self", state}}, {{"result", random_tensor({4, 6}, 50 + i)}}});
        }
    const Source target = hand_made(ops[0]);
    const Source golden = hand_made(ops[1]);
    Dataflow target_flow = trace(target);
    Dataflow golden_flow = trace(golden);
    Plan plan;
    for (size_t i = 0; i < target.ops.size(); ++i)
        plan.ops.push_back({&target.ops[i], &golden.ops[i]});
    const PairedFlows flows(plan, Side{target, target_flow}, Side{golden, golden_flow});
    const Relation relation = relation_of(random_tensor({4, 6}, 100), random_tensor({4, 6}, 0));
    return OtherStates(flows).has(0, 0, relation);
}

TEST(OtherState, is_wholly_other_where_the_other_states_are_equal) {
    EXPECT_TRUE(is_other_among_ten(0));
    EXPECT_FALSE(is_other_among_ten(2));
}

}  // namespace
}  // namespace npuscope::compare
