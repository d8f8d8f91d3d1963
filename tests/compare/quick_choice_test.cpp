#include "compare/quick_choice.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// Two ops on an input each, one on both results, and one that nobody needs.
Source fork() {
    const Tensor a = random_tensor({5}, 1);
    const Tensor b = random_tensor({5}, 2);
    return hand_made({{"relu", {{"self", random_tensor({5}, 3)}}, {{"out", a}}},
                      {"gelu", {{"self", random_tensor({5}, 4)}}, {{"out", b}}},
                      {"add", {{"self", a}, {"other", b}}, {{"out", random_tensor({5}, 5)}}},
                      {"exp", {{"self", a}}, {{"out", random_tensor({5}, 6)}}}});
}

TEST(QuickChoice, takes_what_differs_what_made_its_inputs_and_what_nobody_takes_in) {
    const TracedPair pair(fork(), fork());
    EXPECT_EQ(quick_choice(pair.flows, {}), (std::vector<size_t>{2, 3}));
    EXPECT_EQ(quick_choice(pair.flows, {2}), (std::vector<size_t>{0, 1, 2, 3}));
    EXPECT_EQ(quick_choice(pair.flows, {3}), (std::vector<size_t>{0, 2, 3}));
    EXPECT_EQ(quick_choice(pair.flows, {1}), (std::vector<size_t>{1, 2, 3}));
}

TEST(QuickChoice, leaves_out_what_one_side_lacks) {
    const TracedPair pair(
        hand_made({{"relu", {{"self", random_tensor({5}, 3)}}, {{"out", random_tensor({5}, 1)}}}}),
        fork());
    for (const size_t chosen : quick_choice(pair.flows, {}))
        EXPECT_TRUE(pair.plan.ops[chosen].target != nullptr &&
                    pair.plan.ops[chosen].golden != nullptr);
}

}  // namespace
}  // namespace npuscope::compare
