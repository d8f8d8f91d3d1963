#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "loss/capture.h"
#include "loss/limits.h"
#include "loss/verdict.h"

namespace npuscope::loss {
namespace {

constexpr int kSteps = 120;
const double kNan = std::nan("");

using Added = std::function<double(int step)>;

// A loss that falls from 10 to 5.7 with a scatter that all runs share, and what is added to it.
Log run_with(const Added& added, const std::function<double(int)>& rate = {}) {
    Log log;
    log.path = "run";
    for (int step = 1; step <= kSteps; ++step) {
        const double scatter = 0.1 * std::sin(12.9898 * step * step);
        log.of(Quantity::kLoss).steps.push_back(step);
        log.of(Quantity::kLoss).values.push_back(5 + 5 / (1 + 0.05 * step) + scatter + added(step));
        if (!rate) continue;
        log.of(Quantity::kLearningRate).steps.push_back(step);
        log.of(Quantity::kLearningRate).values.push_back(rate(step));
    }
    return log;
}

double nothing(int) {
    return 0;
}

Verdict judged(const Added& added, const Options& options = {}) {
    return judge(run_with(nothing), run_with(added), {}, options);
}

TEST(Judge, calls_the_same_curve_identical) {
    const Verdict verdict = judged(nothing);
    EXPECT_EQ(verdict.kind, Class::kIdentical);
    EXPECT_FALSE(verdict.is_finding);
    EXPECT_FALSE(verdict.capture);
    EXPECT_EQ(verdict.common, static_cast<size_t>(kSteps));
}

TEST(Judge, takes_rounding_that_grows_for_noise) {
    const Verdict verdict = judged(
        [](int step) { return std::sin(7.0 * step) * std::min(0.05, 1e-5 * std::pow(1.1, step)); });
    EXPECT_EQ(verdict.kind, Class::kNoise) << verdict.headline;
    EXPECT_FALSE(verdict.is_finding);
}

TEST(Judge, names_a_start_and_asks_for_the_forward_pass) {
    const Verdict verdict = judged([](int step) { return 0.3 * std::cos(3.0 * (step - 1)); });
    EXPECT_EQ(verdict.kind, Class::kStart);
    EXPECT_EQ(verdict.step, 1);
    ASSERT_TRUE(verdict.capture);
    EXPECT_EQ(verdict.capture->phase, "forward");
    EXPECT_TRUE(verdict.is_finding);
}

TEST(Judge, leaves_the_start_aside_where_seeds_differ) {
    Options options;
    options.any_start = true;
    EXPECT_EQ(judged([](int step) { return 0.3 * std::cos(3.0 * step); }, options).kind,
              Class::kNoise);
    EXPECT_EQ(judged([](int step) { return 0.008 * step; }, options).kind, Class::kDrift);
}

TEST(Judge, names_the_first_update_and_asks_for_the_backward_pass_before) {
    const Verdict verdict =
        judged([](int step) { return step > 1 ? 0.1 * std::cos(3.0 * step) : 0; });
    EXPECT_EQ(verdict.kind, Class::kUpdate);
    EXPECT_EQ(verdict.step, 2);
    EXPECT_EQ(verdict.before, 1);
    ASSERT_TRUE(verdict.capture);
    EXPECT_EQ(verdict.capture->step, 1);
    EXPECT_EQ(verdict.capture->phase, "backward");
}

TEST(Judge, counts_no_update_at_rate_0) {
    const auto late = [](int step) { return step > 10 ? 0.2 * std::cos(3.0 * step) : 0; };
    EXPECT_EQ(judged(late).kind, Class::kFromStep);
    const auto rate = [](int step) { return step < 10 ? 0.0 : 1e-3; };
    EXPECT_EQ(judge(run_with(nothing, rate), run_with(late, rate), {}, {}).kind, Class::kUpdate);
}

TEST(Judge, counts_records_of_micro_batches_as_one_update) {
    const auto late = [](int step) { return step > 8 ? 0.2 * std::cos(3.0 * step) : 0; };
    EXPECT_EQ(judged(late).kind, Class::kFromStep);
    Options options;
    options.accumulation = 8;
    EXPECT_EQ(judged(late, options).kind, Class::kUpdate);
    // The first 8 records have the first weights: what differs there is the start.
    EXPECT_EQ(judged([](int step) { return step > 3 ? 0.2 : 0; }, options).kind, Class::kStart);
}

TEST(Judge, names_the_step_of_a_later_parting) {
    const Verdict verdict =
        judged([](int step) { return step > 60 ? 0.15 * std::cos(3.0 * step) : 0; });
    EXPECT_EQ(verdict.kind, Class::kFromStep);
    EXPECT_EQ(verdict.step, 61);
    EXPECT_EQ(verdict.before, 60);
}

TEST(Judge, knows_spike_divergence_and_nan_on_either_side) {
    const auto spike = [](int step) { return step == 60 ? 3.0 : 0; };
    const auto rise = [](int step) { return step > 60 ? 0.2 * (step - 60) : 0; };
    const auto nan = [](int step) { return step > 60 ? kNan : 0; };
    for (const auto& [added, kind] : {std::pair<Added, Class>{spike, Class::kSpike},
                                      {rise, Class::kDivergence},
                                      {nan, Class::kNan}}) {
        const Verdict target = judged(added);
        EXPECT_EQ(target.kind, kind) << target.headline;
        EXPECT_FALSE(target.course.in_golden);
        const Verdict golden = judge(run_with(added), run_with(nothing), {}, {});
        EXPECT_EQ(golden.kind, kind) << golden.headline;
        EXPECT_TRUE(golden.course.in_golden);
    }
    EXPECT_EQ(judged(spike).step, 60);
    EXPECT_EQ(judged(nan).step, 61);
}

TEST(Judge, finds_a_drift_without_a_parting) {
    const Verdict verdict =
        judged([](int step) { return 2e-5 * step * step * (1 + 0.3 * std::sin(5.0 * step)); });
    EXPECT_EQ(verdict.kind, Class::kDrift) << verdict.headline;
    EXPECT_GT(verdict.course.size, 0.1);
}

TEST(Judge, takes_nan_on_both_sides_for_alike) {
    const auto nan = [](int step) { return step > 60 ? kNan : 0; };
    EXPECT_EQ(judge(run_with(nan), run_with(nan), {}, {}).kind, Class::kIdentical);
}

TEST(Judge, names_another_learning_rate) {
    const Verdict verdict =
        judge(run_with(nothing, [](int) { return 1e-3; }),
              run_with([](int step) { return step > 1 ? 0.1 * std::cos(3.0 * step) : 0; },
                       [](int) { return 2e-3; }),
              {},
              {});
    ASSERT_EQ(verdict.sides.size(), 1U);
    EXPECT_EQ(verdict.sides[0].quantity, Quantity::kLearningRate);
    EXPECT_NE(verdict.headline.find("learning rate is another"), std::string::npos)
        << verdict.headline;
}

TEST(Judge, measures_what_the_usual_rule_measures) {
    const Verdict verdict = judged([](int) { return 0.5; });
    const Log golden = run_with(nothing);
    double sum = 0;
    for (const double value : golden.of(Quantity::kLoss).values)
        sum += 0.5 / value / kSteps;
    EXPECT_NEAR(verdict.mean_relative_error, sum, 1e-12);
    EXPECT_NEAR(verdict.largest, 0.5, 1e-12);
}

// Unit 1e-6 of the text's digits aside: 3 times the largest before, and the rounding of the loss.
TEST(Limits, follow_the_largest_difference_so_far) {
    Pairing pair;
    pair.steps = {1, 2, 3, 4};
    pair.golden = {10, 10, 10, 10};
    pair.target = {10.001, 10.008, 10, 10.03};
    pair.unit.assign(4, 1e-6);
    const Limits limits = limits_of(pair, {}, {});
    EXPECT_NEAR(limits.limit[0], 0.01, 1e-12);
    EXPECT_NEAR(limits.limit[1], 0.01, 1e-12);
    EXPECT_NEAR(limits.limit[3], 0.024, 1e-12);
    EXPECT_EQ(limits.parting, 3U);
}

TEST(Limits, are_those_of_like_runs_where_there_are_any) {
    Pairing pair;
    pair.steps = {1, 2, 3};
    pair.golden = {10, 10, 10};
    pair.target = {10.25, 10.5, 11};
    pair.unit.assign(3, 1e-6);
    Pairing like = pair;
    like.target = {10.1, 9.8, 10};
    const Limits limits = limits_of(pair, {like}, {});
    EXPECT_NEAR(limits.limit[0], 0.3, 1e-12);
    EXPECT_NEAR(limits.limit[2], 0.6, 1e-12);
    EXPECT_EQ(limits.parting, 2U);
}

TEST(Capture, counts_steps_as_the_tool_does) {
    const Capture capture{5, "backward", ""};
    EXPECT_NE(msprobe_config(capture).find("\"step\": [4]"), std::string::npos);
    EXPECT_NE(npuscope_lines(capture).find("step_5.h5"), std::string::npos);
}

TEST(Judge, tells_a_sum_where_the_golden_takes_the_mean) {
    Log target = run_with(nothing);
    for (double& value : target.of(Quantity::kLoss).values)
        value *= 32;
    const Verdict verdict = judge(run_with(nothing), target, {}, {});
    EXPECT_EQ(verdict.kind, Class::kStart);
    EXPECT_NE(verdict.headline.find("the loss is 32 times the golden's"), std::string::npos)
        << verdict.headline;
}

TEST(Judge, tells_where_a_log_ends_before_the_other) {
    Log target = run_with(nothing);
    target.of(Quantity::kLoss).steps.resize(20);
    target.of(Quantity::kLoss).values.resize(20);
    const Verdict verdict = judge(run_with(nothing), target, {}, {});
    EXPECT_EQ(verdict.kind, Class::kIdentical);
    EXPECT_EQ(verdict.evidence.back(),
              "the target ends at step 20: 100 steps of the golden are held against nothing");
}

}  // namespace
}  // namespace npuscope::loss
