#include "compare/programs/closed_stretches.h"

#include <gtest/gtest.h>

#include "compare/programs/views_of_others.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

const Tensor kQuery = random_tensor({6, 4}, 1);
const Tensor kScores = random_tensor({6, 6}, 2);
const Tensor kShares = random_tensor({6, 6}, 3);

Tensor times(const Tensor& tensor, float factor) {
    return changed(tensor, [&](float value) { return value * factor; });
}

/// Results alone.
HandMadeOp makes(const std::string& op, const Tensor& result) {
    return {op, {}, {{"result", result}}};
}

/// Queries are scaled before they meet the keys, or what comes out of that.
Source attention(bool before, float scale = 0.25F) {
    std::vector<HandMadeOp> ops = {makes("addmm", kQuery)};
    if (before) ops.push_back(makes("mul_Tensor", times(kQuery, scale)));
    ops.push_back(makes("bmm", before ? times(kScores, scale) : kScores));
    if (!before) ops.push_back(makes("div_Tensor", times(kScores, scale)));
    ops.push_back(makes("_softmax", kShares));
    return hand_made(ops);
}

bool is_closed(TracedPair& pair) {
    return close_stretches(PairedFlows{pair.plan, pair.flows.target(), pair.flows.golden()},
                           pair.plan);
}

const OpPair* pair_of(const Plan& plan, const SourceOp& target) {
    for (const OpPair& pair : plan.ops)
        if (pair.target == &target) return &pair;
    return nullptr;
}

TEST(ClosedStretches, are_compared_where_a_factor_comes_before_or_behind) {
    for (const bool before : {true, false}) {
        TracedPair pair(attention(before), attention(!before));
        ASSERT_TRUE(is_closed(pair));
        EXPECT_TRUE(pair.plan.partings.empty());
        const OpPair* joined = pair_of(pair.plan, pair.target.ops[2]);
        ASSERT_NE(joined, nullptr);
        EXPECT_EQ(joined->golden, &pair.golden.ops[2]);
        EXPECT_TRUE(joined->by_end);
        EXPECT_EQ(joined->also_target, std::vector<const SourceOp*>{&pair.target.ops[1]});
        EXPECT_EQ(joined->also_golden, std::vector<const SourceOp*>{&pair.golden.ops[1]});
    }
}

TEST(ClosedStretches, stay_open_where_the_factors_differ) {
    TracedPair pair(attention(true, 0.25F), attention(false, 0.3F));
    (void)is_closed(pair);
    EXPECT_FALSE(pair.plan.partings.empty());
}

TEST(ClosedStretches, leave_recordings_alone_that_tell_inputs) {
    const auto with_inputs = [](Source source) {
        for (SourceOp& op : source.ops)
            op.load = [load = op.load] {
                std::vector<SourceTensor> tensors = load();
                SourceTensor input = tensors.front();
                input.direction = dumpfile::Direction::kInput;
                tensors.insert(tensors.begin(), input);
                return tensors;
            };
        return source;
    };
    TracedPair pair(with_inputs(attention(true)), with_inputs(attention(false)));
    EXPECT_FALSE(is_closed(pair));
}

TEST(ClosedStretches, do_not_take_in_a_result_that_is_off_by_itself) {
    // A gradient that nothing else is made of lies inside, and is wrong.
    const auto program = [](bool before, const Tensor& gradient) {
        std::vector<HandMadeOp> ops = {makes("addmm", kQuery)};
        if (before) ops.push_back(makes("mul_Tensor", times(kQuery, 0.25F)));
        ops.push_back(makes("sum_dim_IntList", gradient));
        ops.push_back(makes("bmm", before ? times(kScores, 0.25F) : kScores));
        if (!before) ops.push_back(makes("div_Tensor", times(kScores, 0.25F)));
        return hand_made(ops);
    };
    TracedPair pair(program(true, random_tensor({4}, 7)), program(false, random_tensor({4}, 8)));
    (void)is_closed(pair);
    const OpPair* sums = pair_of(pair.plan, pair.target.ops[2]);
    ASSERT_NE(sums, nullptr);
    EXPECT_EQ(sums->golden, &pair.golden.ops[1]);
    EXPECT_TRUE(sums->also_target.empty());
}

TEST(ClosedStretches, end_in_what_a_bias_is_added_to) {
    const Tensor made = random_tensor({6, 4}, 11);
    const Tensor sum = changed(made, [](float value) { return value + 2; });
    const Source apart =
        hand_made({makes("relu", kQuery), makes("convolution", made), makes("add_Tensor", sum)});
    const Source whole = hand_made({makes("relu", kQuery), makes("convolution", sum)});
    TracedPair pair(apart, whole);
    ASSERT_TRUE(is_closed(pair));
    EXPECT_TRUE(pair.plan.partings.empty());
    ASSERT_NE(pair_of(pair.plan, pair.target.ops[2]), nullptr);
    EXPECT_EQ(pair_of(pair.plan, pair.target.ops[2])->golden, &pair.golden.ops[1]);
}

TEST(ViewsOfOthers, are_no_pairs_where_each_shows_another_result) {
    const Tensor x = random_tensor({6, 4}, 21);
    const Tensor y = random_tensor({6, 4}, 22);
    const auto program = [&](const Tensor& shown) {
        return hand_made({makes("mm", x), makes("tanh", y), makes("t", transposed(shown))});
    };
    const auto parts = [&](const Tensor& target, const Tensor& golden) {
        TracedPair pair(program(target), program(golden));
        return part_views_of_others(
            PairedFlows{pair.plan, pair.flows.target(), pair.flows.golden()}, pair.plan);
    };
    EXPECT_TRUE(parts(x, y));
    EXPECT_FALSE(parts(x, x));
    EXPECT_FALSE(parts(times(x, 3), x));                // a loss that is scaled
    EXPECT_FALSE(parts(random_tensor({6, 4}, 23), y));  // what no op computed
}

}  // namespace
}  // namespace npuscope::compare
