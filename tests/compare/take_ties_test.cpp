#include "compare/align/take_ties.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace npuscope::compare
