#include "compare/programs/exchanged_operands.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kMadeBefore = random_tensor({6, 4}, 1);
const Tensor kGivenTensor = random_tensor({6, 4}, 2);
const Tensor kSumOfBoth = random_tensor({6, 4}, 3);

Tensor noisy_like(const Tensor& tensor) {
    return changed(tensor, [](float value) { return value * 1.001F; });
}

/// Whether the pair of ops that take in these behind a tanh is found to be exchanged.
bool is_exchanged(const std::string& op,
                  const Tensor& self,
                  const Tensor& other,
                  const Tensor& their_self,
                  const Tensor& their_other) {
    const Source target =
        hand_made({{"tanh", {}, {{"result", noisy_like(kMadeBefore)}}},
                   {op, {{"self", self}, {"other", other}}, {{"result", noisy_like(kSumOfBoth)}}}});
    const Source golden =
        hand_made({{"tanh", {}, {{"result", kMadeBefore}}},
                   {op, {{"self", their_self}, {"other", their_other}}, {{"result", kSumOfBoth}}}});
    Plan plan{.ops = {{&target.ops[0], &golden.ops[0]}, {&target.ops[1], &golden.ops[1]}}};
    Dataflow mine = trace(target);
    Dataflow theirs = trace(golden);
    const PairedFlows flows(plan, {target, mine}, {golden, theirs});
    const bool any = exchange_operands(flows, plan);
    EXPECT_EQ(any, plan.ops[1].exchanged);
    EXPECT_FALSE(plan.ops[0].exchanged);
    EXPECT_FALSE(exchange_operands(flows, plan)) << "told once";
    return any;
}

TEST(ExchangedOperands, hold_or_were_made_by_what_the_other_is) {
    const Tensor made = noisy_like(kMadeBefore);
    for (const std::string op : {"add_Tensor", "mul_Tensor", "maximum"})
        EXPECT_TRUE(is_exchanged(op, kGivenTensor, made, kMadeBefore, kGivenTensor)) << op;
    EXPECT_FALSE(is_exchanged("add_Tensor", made, kGivenTensor, kMadeBefore, kGivenTensor));
    EXPECT_FALSE(is_exchanged("sub_Tensor", kGivenTensor, made, kMadeBefore, kGivenTensor));
}

TEST(ExchangedOperands, are_near_to_the_other_where_nothing_else_tells) {
    const Tensor first = random_tensor({6, 4}, 4);
    const Tensor second = random_tensor({6, 4}, 5);
    EXPECT_TRUE(is_exchanged("add_Tensor", noisy_like(second), noisy_like(first), first, second));
    EXPECT_FALSE(
        is_exchanged("add_Tensor", noisy_like(second), random_tensor({6, 4}, 6), first, second));
}

TEST(ExchangedOperands, have_as_many_elements_as_the_other) {
    const Tensor row = random_tensor({4}, 7);
    EXPECT_TRUE(
        is_exchanged("add_Tensor", row, noisy_like(kMadeBefore), kMadeBefore, noisy_like(row)));
    EXPECT_FALSE(
        is_exchanged("add_Tensor", noisy_like(kMadeBefore), row, kMadeBefore, noisy_like(row)));
}

// An input that is another tensor is a finding, not the other operand.
TEST(ExchangedOperands, are_both_the_others) {
    EXPECT_FALSE(is_exchanged("add_Tensor", kGivenTensor, kGivenTensor, kMadeBefore, kGivenTensor));
}

}  // namespace
}  // namespace npuscope::compare
