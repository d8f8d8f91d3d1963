#include "compare/growth/goes_on.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

HandMadeOp onward(const std::string& name, unsigned from, unsigned to) {
    return {name, {{"self", random_tensor({8}, from)}}, {{"result", random_tensor({8}, to)}}};
}

/// Whether the target goes on in its op at `place`; the first two ops of both are pairs.
bool goes_on(const std::vector<HandMadeOp>& mine, size_t place) {
    Source target = hand_made(mine);
    Source golden = hand_made({onward("relu", 1, 2), onward("exp", 2, 3)});
    Plan plan;
    for (size_t i = 0; i < 2; ++i)
        plan.ops.push_back({&target.ops[i], &golden.ops[i]});
    Dataflow flow = trace(target);
    Dataflow theirs = trace(golden);
    const PairedFlows flows(plan, {target, flow}, {golden, theirs});
    return GoesOn(flows).has({.only_target = {&target.ops[place]}, .only_golden = {}});
}

TEST(GoesOn, is_what_is_made_of_the_last_result_of_the_other_side) {
    EXPECT_TRUE(goes_on({onward("relu", 1, 2), onward("exp", 2, 3), onward("sigmoid", 3, 4)}, 2));
}

// Of two results with the same elements a recording does not tell which one was taken in.
TEST(GoesOn, takes_a_result_for_used_where_one_with_its_elements_is) {
    const std::vector<HandMadeOp> twice = {onward("relu", 1, 2),
                                           onward("exp", 2, 3),
                                           onward("mul_Tensor", 3, 4),
                                           onward("mul_Tensor", 3, 4),
                                           {"add_Tensor",
                                            {{"self", random_tensor({8}, 4)}},
                                            {{"result", Tensor::zeros(DType::kFloat32, {8})}}}};
    EXPECT_FALSE(goes_on(twice, 2));
}

}  // namespace
}  // namespace npuscope::compare
