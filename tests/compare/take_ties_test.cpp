#include "compare/align/take_ties.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "compare/align/missed_sums.h"
#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {
namespace {

/// Ops of these paths, in their order.
std::vector<SourceOp> ops_at(const std::vector<std::string>& paths) {
    std::vector<SourceOp> ops;
    for (const std::string& path : paths) {
        SourceOp& op = ops.emplace_back();
        op.path = path;
    }
    return ops;
}

TEST(TakeTies, parts_a_program_behind_the_op_before_on_the_same_rank) {
    const auto target = ops_at({"rank0:/mm/1", "rank1:/mm/1", "rank0:/relu/2", "rank1:/relu/2"});
    const auto golden = ops_at({"rank0:/mm/1", "rank1:/mm/1", "rank1:/relu/2"});
    Plan plan;
    plan.ops = {{&target[0], &golden[0]},
                {&target[1], &golden[1]},
                {&target[2], nullptr},
                {&target[3], &golden[2]}};
    take_ties({}, plan);
    ASSERT_EQ(plan.partings.size(), 1u);
    const Parting& parting = plan.partings.front();
    EXPECT_EQ(parting.only_target, std::vector{&target[2]});
    EXPECT_TRUE(parting.only_golden.empty());
    EXPECT_EQ(parting.before_target, &target[0]);
    EXPECT_EQ(parting.before_golden, &golden[0]);
}

TEST(TakeTies, parts_a_rank_at_its_first_op_behind_nothing) {
    const auto target = ops_at({"rank0:/mm/1", "rank1:/mm/1"});
    const auto golden = ops_at({"rank0:/mm/1", "rank1:/mul/1", "rank1:/mm/2"});
    Plan plan;
    plan.ops = {{&target[0], &golden[0]}, {&target[1], &golden[2]}, {nullptr, &golden[1]}};
    take_ties({}, plan);
    ASSERT_EQ(plan.partings.size(), 1u);
    EXPECT_EQ(plan.partings.front().only_golden, std::vector{&golden[1]});
    EXPECT_EQ(plan.partings.front().before_golden, nullptr);
    EXPECT_EQ(plan.partings.front().before_target, nullptr);
}

TEST(TakeTies, parts_one_program_behind_its_op_before) {
    const auto target = ops_at({"/mm/1"});
    const auto golden = ops_at({"/mm/1", "/mul/2", "/exp/3"});
    Plan plan;
    plan.ops = {{&target[0], &golden[0]}, {nullptr, &golden[1]}, {nullptr, &golden[2]}};
    take_ties({}, plan);
    ASSERT_EQ(plan.partings.size(), 2u);
    EXPECT_EQ(plan.partings[0].before_golden, &golden[0]);
    EXPECT_EQ(plan.partings[0].before_target, &target[0]);
    // What stands before it has no partner.
    EXPECT_EQ(plan.partings[1].before_golden, nullptr);
}

/// A result of one op is a result of the other.
TensorTie tied(const SourceOp& target, const SourceOp& golden, bool by_place) {
    return {.target = {&target}, .golden = {&golden}, .by_place = by_place};
}

TEST(TakeTies, leaves_an_op_to_what_elements_say_made_the_same) {
    const auto target = ops_at({"/mm/1", "/mm/2"});
    const auto golden = ops_at({"/mm/1", "/mm/2"});
    // By names both are the first one's; what stands at a place says otherwise of the second.
    Plan plan;
    plan.ops = {{&target[0], &golden[0]}, {&target[1], &golden[0]}, {nullptr, &golden[1]}};
    Plan by_name = plan;
    take_ties({tied(target[0], golden[0], false), tied(target[1], golden[1], true)}, plan);
    ASSERT_EQ(plan.ops.size(), 2u);
    EXPECT_EQ(plan.ops[1].target, &target[1]);
    EXPECT_EQ(plan.ops[1].golden, &golden[1]);
    // Without such elements names say more than places.
    take_ties({tied(target[1], golden[1], true)}, by_name);
    EXPECT_EQ(by_name.ops[1].golden, &golden[0]);
}

TEST(TakeTies, takes_parts_at_a_place_rather_than_a_name) {
    const auto target = ops_at({"/linear/1"});
    const auto golden = ops_at({"/linear/1", "/linear/2"});
    Plan plan;
    plan.ops = {{&target[0], &golden[1]}, {nullptr, &golden[0]}};
    std::vector<TensorTie> ties = {tied(target[0], golden[0], true),
                                   tied(target[0], golden[1], true)};
    for (TensorTie& tie : ties)
        tie.kind = RelationKind::kPart;
    take_ties(ties, plan);
    ASSERT_EQ(plan.ops.size(), 1u);
    EXPECT_EQ(plan.ops[0].golden, &golden[0]);
    EXPECT_EQ(plan.ops[0].also_golden, std::vector{&golden[1]});
    EXPECT_EQ(plan.ops[0].ties.size(), 2u);
}

// The residual and what is added to it: each has its partner, and the sum is compared as well.
TEST(TakeTies, leaves_a_term_of_a_sum_to_its_own_partner) {
    const auto target = ops_at({"/mm/1", "/gelu/2"});
    const auto golden = ops_at({"/mm/1", "/gelu/2", "/add/3"});
    Plan plan;
    plan.ops = {{&target[0], &golden[0]}, {&target[1], &golden[1]}, {nullptr, &golden[2]}};
    TensorTie sum = tied(target[0], golden[2], false);
    sum.kind = RelationKind::kSum;
    sum.more_target = {{&target[1]}};
    take_ties({tied(target[0], golden[0], false), tied(target[1], golden[1], false), sum}, plan);
    ASSERT_EQ(plan.ops.size(), 2u);
    EXPECT_EQ(plan.ops[0].also_golden, std::vector{&golden[2]});
    EXPECT_EQ(plan.ops[1].target, &target[1]);
    EXPECT_EQ(plan.ops[1].golden, &golden[1]);
}

/// Two programs that make the same hidden and residual tensors, and what they do with them.
class MissedSums : public testing::Test {
  protected:
    MissedSums() {
        for (Source* side : {&plain_, &other_}) {
            test::add_op(*side, "mm", {x_}, residual_);
            test::add_op(*side, "gelu", {residual_}, hidden_);
        }
    }

    /// Whether a sum is found, and whether it stays; by names the ops of these numbers are pairs.
    static std::pair<bool, bool> sums(const Source& target,
                                      const Source& golden,
                                      const std::vector<std::pair<size_t, size_t>>& pairs) {
        Relations relations = relate(target, golden);
        Plan plan;
        for (const auto& [mine, theirs] : pairs)
            plan.ops.push_back({&target.ops[mine], &golden.ops[theirs]});
        const auto has_sum = [&] {
            return std::ranges::find(relations.found, RelationKind::kSum, &TensorRelation::kind) !=
                   relations.found.end();
        };
        const bool found = has_sum();
        forget_missed_sums(target, golden, plan, relations);
        return {found, has_sum()};
    }

    static Tensor plus(const Tensor& one, const Tensor& other) {
        Tensor sum = Tensor::copy_of(one.view());
        for (size_t i = 0; i < sum.as<float>().size(); ++i)
            sum.mutable_as<float>()[i] += other.as<float>()[i];
        return sum;
    }
    static Tensor tanh_of(const Tensor& tensor) {
        Tensor result = Tensor::copy_of(tensor.view());
        for (float& each : result.mutable_as<float>())
            each = std::tanh(each);
        return result;
    }

    Tensor x_ = test::random_tensor({8, 16}, 1);
    Tensor residual_ = test::random_tensor({8, 16}, 2);
    Tensor hidden_ = test::random_tensor({8, 16}, 3);
    Tensor sum_ = plus(hidden_, residual_);
    Source plain_;  ///< adds them up
    Source other_;
};

TEST_F(MissedSums, are_out_where_the_next_op_takes_in_one_term) {
    test::add_op(plain_, "add_Tensor", {residual_, hidden_}, sum_);
    test::add_op(plain_, "tanh", {sum_}, tanh_of(sum_));
    test::add_op(other_, "tanh", {residual_}, tanh_of(residual_));
    EXPECT_EQ(sums(other_, plain_, {{2, 3}}), std::pair(true, false));
    EXPECT_EQ(sums(plain_, other_, {{3, 2}}), std::pair(true, false));
}

TEST_F(MissedSums, stay_where_the_next_op_takes_in_all_terms) {
    const Tensor made = tanh_of(sum_);
    test::add_op(plain_, "add_Tensor", {residual_, hidden_}, sum_);
    test::add_op(plain_, "tanh", {sum_}, made);
    test::add_op(other_, "add_tanh", {residual_, hidden_}, made);
    EXPECT_EQ(sums(other_, plain_, {}), std::pair(true, true));
    EXPECT_EQ(sums(plain_, other_, {}), std::pair(true, true));
}

TEST_F(MissedSums, stay_where_ops_without_partner_hand_terms_on) {
    const Tensor made = test::random_tensor({8, 16}, 4);
    const Tensor half = test::random_tensor({8, 16}, 5);
    test::add_op(plain_, "add_Tensor", {residual_, hidden_}, sum_);
    test::add_op(plain_, "exp", {sum_}, test::random_tensor({8, 24}, 6));
    test::add_op(plain_, "mm", {test::random_tensor({8, 24}, 6)}, made);
    test::add_op(other_, "half", {hidden_}, half);
    test::add_op(other_, "add_exp_mm", {residual_, half}, made);
    EXPECT_EQ(sums(other_, plain_, {}), std::pair(true, true));
}

TEST_F(MissedSums, are_told_by_the_first_op_that_takes_them_in) {
    const Tensor made = test::random_tensor({8, 16}, 4);
    test::add_op(plain_, "add_Tensor", {residual_, hidden_}, sum_);
    test::add_op(plain_, "norm", {sum_}, made);
    test::add_op(plain_, "norm_backward", {sum_, made}, test::random_tensor({8, 16}, 7));
    test::add_op(other_, "add_norm", {residual_, hidden_}, made);
    test::add_op(other_, "norm_backward", {residual_, made}, test::random_tensor({8, 16}, 7));
    EXPECT_EQ(sums(other_, plain_, {}), std::pair(true, true));
}

TEST_F(MissedSums, of_the_terms_own_partners_are_out_where_nothing_takes_them_in) {
    test::add_op(plain_, "add_Tensor", {residual_, hidden_}, sum_);
    EXPECT_EQ(sums(other_, plain_, {}), std::pair(true, false));
}

TEST_F(MissedSums, that_are_made_of_something_else_stay_where_nothing_takes_them_in) {
    test::add_op(plain_, "fused", {x_}, sum_);
    EXPECT_EQ(sums(other_, plain_, {}), std::pair(true, true));
}

}  // namespace
}  // namespace npuscope::compare
