#include "compare/programs/agrees_behind.h"

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// sqrt, a division by it and an exponential of that.
Source chain(unsigned seed) {
    const Tensor root = random_tensor({8}, seed);
    const Tensor share = random_tensor({8}, seed + 1);
    return hand_made(
        {{"sqrt", {{"self", random_tensor({8}, 90)}}, {{"out", root}}},
         {"div", {{"self", random_tensor({8}, 91)}, {"other", root}}, {{"out", share}}},
         {"exp", {{"self", share}}, {{"out", random_tensor({8}, seed + 2)}}}});
}

/// Of the plan's pairs; so far off is the input and the result of each.
Result measured(const TracedPair& pair,
                const std::vector<double>& inputs,
                const std::vector<double>& outputs) {
    Result result;
    for (size_t i = 0; i < outputs.size(); ++i) {
        OpResult& op = result.ops.emplace_back();
        op.target = pair.plan.ops[i].target->path;
        op.golden = pair.plan.ops[i].golden->path;
        for (const auto direction : {dumpfile::Direction::kInput, dumpfile::Direction::kOutput}) {
            TensorResult& tensor = op.tensors.emplace_back();
            tensor.direction = direction;
            tensor.dtype = "float32";
            tensor.metrics = {0};
            tensor.judgement.verdict = Verdict::kInherited;
            tensor.sums.numel = 8;
            tensor.sums.max_g = 1;
            tensor.sums.max_d = direction == dumpfile::Direction::kInput ? inputs[i] : outputs[i];
        }
    }
    return result;
}

TEST(AgreesBehind, follows_what_is_made_until_it_is_near_again) {
    const TracedPair pair(chain(1), chain(1));
    const auto agrees = [&](const std::vector<double>& outputs) {
        return agrees_behind(pair.flows, measured(pair, {0, 0, 0}, outputs), 0, 0.02);
    };
    EXPECT_TRUE(agrees({0.6, 0.001, 0.9}));
    EXPECT_TRUE(agrees({0.6, 0.3, 0.01}));
    EXPECT_FALSE(agrees({0.6, 0.3, 0.3}));  // and nobody takes that in
}

TEST(AgreesBehind, clears_an_op_that_was_called_with_other_numbers_for_something_else) {
    const TracedPair pair(chain(1), chain(1));
    const auto verdict = [&](double input, double behind) {
        Result result = measured(pair, {input, 0, 0}, {0.9, behind, behind});
        TensorResult& tensor = result.ops.front().tensors.back();
        tensor.judgement.verdict = Verdict::kFail;
        tensor.split.emplace().target.emplace().ratio = 0.1;
        tensor.split->by_golden_arguments = 50;
        forget_other_roles(pair.flows, result);
        return tensor.judgement.verdict;
    };
    EXPECT_EQ(verdict(0.9, 0.001), Verdict::kInherited);
    EXPECT_EQ(verdict(0.1, 0.001), Verdict::kFail);  // given the same
    EXPECT_EQ(verdict(0.9, 0.5), Verdict::kFail);    // and it is felt
}

}  // namespace
}  // namespace npuscope::compare
