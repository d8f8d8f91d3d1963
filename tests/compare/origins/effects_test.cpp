#include "compare/origins/effects.h"

#include <gtest/gtest.h>

#include "tests/compare/compared_programs.h"

namespace npuscope::compare {
namespace {

const Shape kBranch = {8, 16};

Tensor tensor_off(unsigned seed, float by) {
    const Tensor exact = random_tensor(kBranch, seed);
    return by > 0 ? off_by(exact, by, seed + 100) : exact;
}

/// Two branches of three ops each; their first ops are off by `left` and `right`.
std::vector<HandMadeOp> branches(float left, float right) {
    const Tensor x = random_tensor(kBranch, 1);
    std::vector<HandMadeOp> ops;
    unsigned seed = 10;
    for (const auto& [name, by] : {std::pair("neg", left), {"exp", right}}) {
        const Tensor first = tensor_off(++seed, by);
        const Tensor second = tensor_off(++seed, by);
        ops.push_back(step(name, x, first));
        ops.push_back(step("relu", first, second));
        ops.push_back(step("abs", second, tensor_off(++seed, by)));
    }
    return ops;
}

TEST(Effects, rank_independent_culprits_by_the_last_outputs) {
    WrittenSplitter splitter;
    for (const char* path : {"/neg/1", "/relu/2", "/exp/4"})
        splitter.introduced[path] = 0.01;
    splitter.introduced["/exp/4"] = 0.5;
    const Result result = compared(branches(0.01F, 0.5F), branches(0, 0), splitter);
    ASSERT_EQ(result.culprits.size(), 3u);
    EXPECT_EQ(result.culprits[0].op, 0u);  // the first one stays first
    EXPECT_EQ(result.culprits[1].op, 3u);
    EXPECT_EQ(result.culprits[2].op, 1u);
    EXPECT_EQ(result.culprits[1].effect_on, "/abs/6/output/result");
    EXPECT_EQ(result.culprits[2].effect_on, "/abs/3/output/result");
    // All of the error at the end of a branch is its culprit's.
    const double last = relative_error(result.ops[5].tensors[1]);
    EXPECT_NEAR(result.culprits[1].effect.value(), last, 1e-9 * last);
}

TEST(Culprits, begin_with_a_clear_one_where_the_first_is_barely_beyond) {
    const auto first = [](double neg, double exp) {
        WrittenSplitter splitter;
        splitter.introduced = {{"/neg/1", 0.01}, {"/exp/4", 0.5}};
        splitter.ratios = {{"/neg/1", neg}, {"/exp/4", exp}};
        return compared(branches(0.01F, 0.5F), branches(0, 0), splitter).culprits.front().op;
    };
    EXPECT_EQ(first(1.1, 100), 3U);
    EXPECT_EQ(first(1.1, 20), 0U);
    EXPECT_EQ(first(4, 1000), 0U);
}

// relu's 0.03 beside what neg brought: the shares are as their errors.
TEST(Effects, share_an_error_between_culprits_of_one_branch) {
    WrittenSplitter splitter;
    splitter.introduced["/neg/1"] = 0.01;
    splitter.introduced["/relu/2"] = 0.03;
    const Result result = compared(branches(0.01F, 0), branches(0, 0), splitter);
    ASSERT_EQ(result.culprits.size(), 2u);
    const double brought = relative_error(result.ops[1].tensors[0]);
    const double last = relative_error(result.ops[2].tensors[1]);
    EXPECT_NEAR(result.culprits[0].effect.value(), last * brought / (brought + 0.03), 1e-6);
    EXPECT_NEAR(result.culprits[1].effect.value(), last * 0.03 / (brought + 0.03), 1e-6);
}

TEST(Effects, are_zero_where_nothing_reaches_the_end) {
    WrittenSplitter splitter;
    splitter.introduced["/neg/1"] = 0.01;
    std::vector<HandMadeOp> target = branches(0, 0);
    target[0].outputs[0].second = tensor_off(11, 0.01F);  // relu took in the golden's all the same
    target[1].inputs[0].second = target[0].outputs[0].second;
    const Result result = compared(target, branches(0, 0), splitter);
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].effect, 0);
    EXPECT_EQ(result.culprits[0].effect_on, "");
}

TEST(Effects, follow_a_tensor_that_nobody_computed) {
    std::vector<HandMadeOp> target = branches(0.02F, 0);
    target[0].inputs[0].second = with_element(random_tensor(kBranch, 1), 3, 100);
    const Result result = compared(target, branches(0, 0));
    ASSERT_EQ(result.culprits.size(), 1u);
    EXPECT_EQ(result.culprits[0].tensor, "/neg/1/input/self");
    EXPECT_EQ(result.culprits[0].effect_on, "/abs/3/output/result");
    EXPECT_GT(result.culprits[0].effect.value(), 0.005);
}

}  // namespace
}  // namespace npuscope::compare
