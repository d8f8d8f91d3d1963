#include "compare/programs/exchanged_ops.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

/// A root and a division, in one of two orders, and an exponential of what comes out. A third op
/// may read what is in between.
Source quotient(bool root_first, bool is_read = false) {
    const Tensor in = random_tensor({8}, 1);
    const Tensor between = random_tensor({8}, root_first ? 2 : 3);
    const Tensor out = random_tensor({8}, 4);
    std::vector<HandMadeOp> ops = {step(root_first ? "sqrt" : "div", in, between),
                                   step(root_first ? "div" : "sqrt", between, out)};
    if (is_read) ops.push_back(step("neg", between, random_tensor({8}, 5)));
    ops.push_back(step("exp", out, random_tensor({8}, 6)));
    return hand_made(ops);
}

/// Pairs by their names, whatever the order.
void pair_by_name(TracedPair& pair) {
    pair.plan.ops.clear();
    pair.plan.partings.clear();
    for (const SourceOp& mine : pair.target.ops)
        for (const SourceOp& theirs : pair.golden.ops)
            if (mine.id.op == theirs.id.op) pair.plan.ops.push_back({&mine, &theirs});
}

TEST(ExchangedOps, are_one_parting_of_two_ops_on_each_side) {
    TracedPair pair(quotient(false), quotient(true));
    pair_by_name(pair);
    ASSERT_TRUE(part_exchanged(PairedFlows{pair.plan, pair.flows.target(), pair.flows.golden()},
                               pair.plan));
    ASSERT_EQ(pair.plan.partings.size(), 1u);
    const Parting& parting = pair.plan.partings.front();
    EXPECT_EQ(parting.only_target,
              (std::vector<const SourceOp*>{&pair.target.ops[0], &pair.target.ops[1]}));
    EXPECT_EQ(parting.only_golden,
              (std::vector<const SourceOp*>{&pair.golden.ops[0], &pair.golden.ops[1]}));
    for (const OpPair& op : pair.plan.ops)
        EXPECT_EQ(op.target != nullptr && op.golden != nullptr, op.target == &pair.target.ops[2]);
}

TEST(ExchangedOps, are_pairs_where_they_run_in_the_same_order_or_a_third_op_reads) {
    const auto parts = [](Source target, Source golden) {
        TracedPair pair(std::move(target), std::move(golden));
        pair_by_name(pair);
        return part_exchanged(PairedFlows{pair.plan, pair.flows.target(), pair.flows.golden()},
                              pair.plan);
    };
    EXPECT_FALSE(parts(quotient(true), quotient(true)));
    EXPECT_FALSE(parts(quotient(false, true), quotient(true)));
    EXPECT_FALSE(parts(quotient(false), quotient(true, true)));
}

}  // namespace
}  // namespace npuscope::compare
