#include "diagnose/judge/random_error.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

constexpr int64_t kCount = 4000;

const VectorClass& float32() {
    return vector_classes()[1];
}

/// A dropout of 4000 elements, of which `share` are dropped.
struct Dropped {
    double p = 0.25;
    double share = 0.25;
    float scale = 4.0F / 3;
    bool with_mask = true;
    bool train = true;
    float stray = 0;  ///< what stands in the first dropped element

    [[nodiscard]] OpRun run() const {
        std::mt19937 random(3);
        std::normal_distribution<float> normal;
        Tensor input(DType::kFloat32, {kCount});
        Tensor result(DType::kFloat32, {kCount});
        Tensor mask(DType::kBool, {kCount});
        float left = stray;
        for (int64_t i = 0; i < kCount; ++i) {
            const auto at = static_cast<size_t>(i);
            const float value = normal(random);
            const bool kept = std::fmod(static_cast<double>(i) * 0.6180339887, 1.0) >= share;
            input.mutable_as<float>()[at] = value;
            result.mutable_as<float>()[at] = kept ? value * scale : std::exchange(left, 0.0F);
            mask.mutable_as<bool>()[at] = kept;
        }
        OpRun made = test::recorded_run(
            "native_dropout", {{"input", input}, {"p", p}, {"train", train}}, result, "result0");
        if (with_mask) made.results.push_back({"result1", "result1", mask});
        return made;
    }
    [[nodiscard]] std::vector<std::optional<compare::Introduced>> judged() const {
        const OpRun made = run();
        return judge_draws(made, float32());
    }
};

TEST(RandomError, passes_a_mask_that_is_applied_with_its_scale) {
    for (const bool with_mask : {true, false}) {
        const auto errors = Dropped{.with_mask = with_mask}.judged();
        for (const auto& error : errors)
            EXPECT_LT(error.value().ratio, 1) << with_mask;
    }
    // Not in training: all is kept as it is.
    for (const auto& error : Dropped{.share = 0, .scale = 1, .train = false}.judged())
        EXPECT_EQ(error.value().ratio, 0);
}

TEST(RandomError, tells_of_a_wrong_scale) {
    for (const bool with_mask : {true, false}) {
        const auto errors = Dropped{.scale = 1.25F, .with_mask = with_mask}.judged();
        EXPECT_GT(errors[0].value().ratio, 1000);
        EXPECT_EQ(errors[0]->told,
                  "what it keeps is scaled by 1.25, and not by 1 / (1 - p) = 1.33333");
    }
    EXPECT_LT(Dropped{.scale = 1.25F}.judged()[1].value().ratio, 1) << "the mask is right";
}

TEST(RandomError, tells_of_elements_that_a_mask_leaves) {
    const auto errors = Dropped{.stray = 0.5F}.judged();
    EXPECT_GT(errors[0].value().ratio, 1);
    EXPECT_EQ(errors[0]->told, "it is not zero where its mask drops elements");
    EXPECT_EQ(errors[0]->over, 1);
}

// 0.3 of 4000 where p is 0.25: 200 more than 1000, sqrt(4000 0.25 0.75) = 27.4, 7.3 deviations;
// 0.32: 10.2.
TEST(RandomError, holds_the_share_against_eight_deviations) {
    EXPECT_NEAR(Dropped{.share = 0.3}.judged()[1].value().ratio, 7.3 / 8, 0.05);
    const auto errors = Dropped{.share = 0.32}.judged();
    EXPECT_NEAR(errors[1].value().ratio, 10.2 / 8, 0.1);
    EXPECT_EQ(errors[1]->told, "it drops 1280 of 4000 elements, where its probability is 0.25");
    const auto without = Dropped{.share = 0.32, .with_mask = false}.judged();
    EXPECT_GT(without[0].value().ratio, 1);
    EXPECT_EQ(without[0]->told, errors[1]->told);
}

TEST(RandomError, knows_probabilities_that_leave_no_chance) {
    const Dropped none{.p = 0, .share = 0, .scale = 1};
    EXPECT_EQ(none.judged()[1].value().ratio, 0);
    const Dropped some{.p = 0, .share = 0.1, .scale = 1};
    EXPECT_TRUE(std::isinf(some.judged()[1].value().ratio));
    const Dropped all{.p = 1, .share = 1, .scale = 0};
    EXPECT_EQ(all.judged()[0].value().ratio, 0);
}

std::vector<std::optional<compare::Introduced>> trials(double p, float ones, float value = 1) {
    Tensor drawn(DType::kFloat32, {kCount});
    for (int64_t i = 0; i < kCount; ++i)
        drawn.mutable_as<float>()[static_cast<size_t>(i)] =
            static_cast<float>(i) < ones * kCount ? value : 0;
    return judge_draws(
        test::recorded_run("bernoulli__float", {{"self", drawn}, {"p", p}}, drawn, "self"),
        float32());
}

TEST(RandomError, holds_zeros_and_ones_against_their_probability) {
    EXPECT_LT(trials(0.5, 0.51F)[0].value().ratio, 1);
    EXPECT_GT(trials(0.5, 0.6F)[0].value().ratio, 1);
    EXPECT_EQ(trials(0.5, 0.6F)[0]->told,
              "it draws 1 for 2400 of 4000 elements, where its probability is 0.5");
    EXPECT_TRUE(std::isinf(trials(0.5, 0.5F, 2)[0].value().ratio));
}

TEST(RandomError, says_nothing_of_what_it_does_not_know) {
    const OpRun normal = test::recorded_run(
        "normal_", {{"self", test::floats({1, 2})}}, test::floats({3, 4}), "self");
    EXPECT_FALSE(judge_draws(normal, float32())[0].has_value());
    OpRun dropout = Dropped{}.run();
    std::erase_if(dropout.arguments, [](const NamedValue& value) { return value.name == "p"; });
    EXPECT_FALSE(judge_draws(dropout, float32())[0].has_value());
}

}  // namespace
}  // namespace npuscope::diagnose
