#include "compare/growth/last_ops.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// An op that makes the tensor of one number out of that of another.
HandMadeOp link(const std::string& name, unsigned from, unsigned to) {
    return {name, {{"self", random_tensor({8}, from)}}, {{"result", random_tensor({8}, to)}}};
}

/// Two programs of which these places are pairs.
struct Ends {
    Ends(const std::vector<HandMadeOp>& one,
         const std::vector<HandMadeOp>& other,
         const std::vector<std::pair<size_t, size_t>>& pairs)
        : target(hand_made(one)), golden(hand_made(other)) {
        for (const auto& [mine, theirs] : pairs)
            plan.ops.push_back({&target.ops[mine], &golden.ops[theirs]});
    }

    [[nodiscard]] bool has_target(size_t op) {
        return has({.only_target = {&target.ops[op]}, .only_golden = {}});
    }
    [[nodiscard]] bool has_golden(size_t op) {
        return has({.only_target = {}, .only_golden = {&golden.ops[op]}});
    }

    Source target;
    Source golden;
    Plan plan{};

  private:
    [[nodiscard]] bool has(const Parting& parting) {
        Dataflow mine = trace(target);
        Dataflow theirs = trace(golden);
        const PairedFlows flows(plan, {target, mine}, {golden, theirs});
        return LastOps(flows).has(parting);
    }
};

TEST(LastOps, are_those_that_both_programs_end_in) {
    Ends ends(
        {link("relu", 1, 2), link("exp", 2, 3)}, {link("relu", 1, 2), link("sin", 2, 4)}, {{0, 0}});
    EXPECT_TRUE(ends.has_target(1));
    EXPECT_TRUE(ends.has_golden(1));
}

TEST(LastOps, are_none_where_one_program_ends_in_a_pair) {
    Ends ends({link("relu", 1, 2), link("exp", 2, 3)}, {link("relu", 1, 2)}, {{0, 0}});
    EXPECT_FALSE(ends.has_target(1));
}

TEST(LastOps, do_not_stand_before_a_pair) {
    Ends ends({link("exp", 1, 5), link("relu", 1, 2), link("exp", 2, 3)},
              {link("relu", 1, 2), link("sin", 2, 4)},
              {{1, 0}});
    EXPECT_FALSE(ends.has_target(0));
    EXPECT_TRUE(ends.has_target(2));
}

TEST(LastOps, give_their_results_to_nobody) {
    Ends ends({link("relu", 1, 2), link("exp", 2, 3), link("cos", 3, 5)},
              {link("relu", 1, 2), link("sin", 2, 4)},
              {{0, 0}});
    EXPECT_FALSE(ends.has_target(1));
    EXPECT_TRUE(ends.has_target(2));
}

TEST(LastOps, are_of_the_forward_pass) {
    Ends ends({link("relu", 1, 2), link("exp", 2, 3), link("mm_backward", 7, 6)},
              {link("relu", 1, 2), link("sin", 2, 4), link("mm_backward", 7, 8)},
              {{0, 0}, {2, 2}});
    EXPECT_FALSE(ends.has_target(2));
    EXPECT_TRUE(ends.has_golden(1));
}

}  // namespace
}  // namespace npuscope::compare
