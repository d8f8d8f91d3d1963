#include "compare/quick_choice.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

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

/// A result, a loss that is made of it and a copy of that.
std::vector<HandMadeOp> loss_of(const Tensor& made) {
    const Tensor loss = random_tensor({1}, 8);
    return {step("relu", random_tensor({5}, 3), made),
            step("mse_loss", made, loss),
            step("neg", loss, random_tensor({1}, 9))};
}

TEST(QuickJudgement, accuses_no_input_of_an_op_that_it_does_not_compute) {
    const Tensor made = random_tensor({5}, 1);
    WrittenSplitter splitter;
    Options options;
    options.splitter = &splitter;
    options.judging = Judging::kQuick;
    const Result result = compare_sources(hand_made(loss_of(off_by(made, 1e-2F, 2))),
                                          hand_made(loss_of(made)),
                                          PrecisionBounds(),
                                          options);
    ASSERT_EQ(result.ops.size(), 3u);
    EXPECT_EQ(result.ops[0].judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(result.ops[1].tensors.front().judgement.verdict, Verdict::kInherited);
    EXPECT_EQ(result.counts.by_verdict[static_cast<size_t>(Verdict::kFail)], 0);
}

}  // namespace
}  // namespace npuscope::compare
