#include "loss/line_plan.h"

#include <cmath>

#include <gtest/gtest.h>

#include "loss/step_key.h"

namespace npuscope::loss {
namespace {

constexpr std::string_view kMegatron =
    " [2024-08-01 12:00:00] iteration       10/     100 | consumed samples:          320 | elapsed "
    "time per iteration (ms): 812.3 | learning rate: 1.500000E-04 | global batch size:    32 | lm "
    "loss: 1.052345E+01 | loss scale: 65536.0 | grad norm: 3.214 | num zeros: 12 | number of "
    "skipped iterations:   0 | number of nan iterations:   0 |";

TEST(KeyNumbers, gives_each_number_the_words_before_it) {
    const std::vector<KeyNumber> found = key_numbers("step: 12  loss=2.5, 'lr': 1e-4 nan");
    ASSERT_EQ(found.size(), 4U);
    EXPECT_EQ(found[0].key, "step");
    EXPECT_EQ(found[0].value, 12);
    EXPECT_TRUE(found[0].is_whole);
    EXPECT_EQ(found[1].key, "loss");
    EXPECT_FALSE(found[1].is_whole);
    EXPECT_EQ(found[2].key, "lr");
    EXPECT_EQ(found[2].value, 1e-4);
    EXPECT_TRUE(std::isnan(found[3].value));
}

TEST(LinePlan, finds_the_keys_of_a_megatron_line) {
    const LinePlan plan = guess_plan({kMegatron});
    EXPECT_EQ(plan.step_key, "iteration") << plan.to_text();
    EXPECT_EQ(plan.key_of(Quantity::kLoss), "lm loss");
    EXPECT_EQ(plan.key_of(Quantity::kLearningRate), "learning rate");
    EXPECT_EQ(plan.key_of(Quantity::kLossScale), "loss scale");
    EXPECT_EQ(plan.key_of(Quantity::kGradNorm), "grad norm");
    EXPECT_EQ(plan.key_of(Quantity::kZeros), "num zeros");
    EXPECT_EQ(plan.key_of(Quantity::kSamples), "consumed samples");
    Record record;
    ASSERT_TRUE(apply(plan, kMegatron, record));
    EXPECT_EQ(record.step, 10);
    EXPECT_EQ(record.values[0], 10.52345);
    EXPECT_EQ(record.values[static_cast<size_t>(Quantity::kLossScale)], 65536);
    EXPECT_EQ(record.values[static_cast<size_t>(Quantity::kSkipped)], 0);
}

TEST(LinePlan, takes_no_line_of_validation) {
    const LinePlan plan = guess_plan({kMegatron});
    Record record;
    EXPECT_FALSE(
        apply(plan,
              " validation loss at iteration 10 | lm loss value: 1.0E+00 | lm loss PPL: 2 |",
              record));
    EXPECT_FALSE(apply(plan, "iteration", record));
    EXPECT_FALSE(apply(plan, "", record));
}

TEST(LinePlan, reads_the_step_of_a_progress_bar) {
    const LinePlan plan = guess_plan({" 10%|#    | 10/100 [00:12<01:50, 1.2s/it, loss=2.31]"});
    EXPECT_TRUE(plan.step_before_slash) << plan.to_text();
    Record record;
    ASSERT_TRUE(apply(plan, " 11%|#    | 11/100 [00:13<01:49, 1.2s/it, loss=2.30]", record));
    EXPECT_EQ(record.step, 11);
    EXPECT_EQ(record.values[0], 2.30);
}

TEST(LinePlan, prefers_the_plain_loss_to_one_with_another_word) {
    const LinePlan plan =
        guess_plan({"iter 3 aux loss: 0.1 loss: 2.5", "iter 4 aux loss: 0.1 loss: 2.4"});
    EXPECT_EQ(plan.step_key, "iter");
    EXPECT_EQ(plan.key_of(Quantity::kLoss), "loss");
}

TEST(LinePlan, has_no_loss_where_no_line_tells_one) {
    EXPECT_FALSE(guess_plan({"lossless audio", "a loss of memory", "the loss is large"})
                     .has(Quantity::kLoss));
    EXPECT_FALSE(guess_plan({}).has(Quantity::kLoss));
}

TEST(LinePlan, reads_words_for_what_is_no_number) {
    const LinePlan plan = guess_plan({"step 1 loss 2.5"});
    Record record;
    ASSERT_TRUE(apply(plan, "step 2 loss NaN", record));
    EXPECT_TRUE(std::isnan(record.values[0]));
    ASSERT_TRUE(apply(plan, "step 3 loss -inf", record));
    EXPECT_TRUE(std::isinf(record.values[0]));
    EXPECT_FALSE(apply(plan, "step 4 loss 2.5abc", record));
}

TEST(StepKey, knows_steps_and_no_epochs) {
    EXPECT_GE(fit_of_step("iteration"), 0);
    EXPECT_GE(fit_of_step("Global Step"), 0);
    EXPECT_LT(fit_of_step("epoch"), 0);
    EXPECT_LT(fit_of_step("steps_per_second"), 0);
}

}  // namespace
}  // namespace npuscope::loss
