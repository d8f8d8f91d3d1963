#include <set>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

constexpr int64_t kCount = 100000;

NamedValues seeds(int64_t seed, int64_t seed2) {
    return {{"seed", seed}, {"seed2", seed2}};
}

NamedValues with(NamedValues values, const char* name, double number) {
    values.push_back({name, number});
    return values;
}

/// Mean and variance.
std::pair<double, double> moments(const Tensor& x) {
    double sum = 0;
    double squares = 0;
    for (int64_t i = 0; i < x.numel(); ++i) {
        sum += x.at(i);
        squares += x.at(i) * x.at(i);
    }
    const double mean = sum / static_cast<double>(x.numel());
    return {mean, squares / static_cast<double>(x.numel()) - mean * mean};
}

TEST(Random, follows_its_seeds_only) {
    const Tensor like(DType::kFloat32, {64});
    const NamedValues range = with(with(seeds(1, 2), "from", 0.0), "to", 1.0);
    const Tensor first = run_kernel("Uniform", {like}, range).outputs[0];
    EXPECT_TRUE(identical(first, run_kernel("Uniform", {like}, range, b(), 2).outputs[0]));
    const NamedValues other = with(with(seeds(1, 3), "from", 0.0), "to", 1.0);
    EXPECT_FALSE(identical(first, run_kernel("Uniform", {like}, other).outputs[0]));
}

TEST(Uniform, has_mean_and_variance_and_stays_below_its_end) {
    const Tensor like(DType::kFloat16, {kCount});
    const Tensor x =
        run_kernel("Uniform", {like}, with(with(seeds(7, 0), "from", -1.0), "to", 1.0)).outputs[0];
    const auto [mean, variance] = moments(x);
    EXPECT_NEAR(mean, 0, 0.01);
    EXPECT_NEAR(variance, 1.0 / 3, 0.01);
    for (int64_t i = 0; i < kCount; ++i)
        ASSERT_LT(x.at(i), 1);
}

TEST(Normal, has_mean_and_variance) {
    const Tensor like(DType::kFloat32, {kCount});
    const Tensor x =
        run_kernel("Normal", {like}, with(with(seeds(7, 1), "mean", 3.0), "stdev", 2.0)).outputs[0];
    const auto [mean, variance] = moments(x);
    EXPECT_NEAR(mean, 3, 0.03);
    EXPECT_NEAR(variance, 4, 0.06);
}

TEST(DropOut, keeps_its_share_and_scales_it) {
    const Tensor like(DType::kFloat32, {kCount});
    const Tensor mask =
        run_kernel("DropOutGenMask", {like}, with(seeds(3, 3), "prob", 0.75)).outputs[0];
    EXPECT_NEAR(moments(mask).first, 0.75, 0.01);
    const KernelRun run = run_kernel("DropOutDoMask",
                                     {floats({2}, {3, 3}), Tensor::from<bool>({2}, {true, false})},
                                     {{"scale", 4.0 / 3}});
    EXPECT_EQ(run.at(0), 4);
    EXPECT_EQ(run.at(1), 0);
}

TEST(Randperm, has_each_place_once) {
    const Tensor order =
        run_kernel("StatelessRandperm", {Tensor(DType::kInt64, {100})}, seeds(5, 1)).outputs[0];
    std::set<double> seen;
    bool moved = false;
    for (int64_t i = 0; i < 100; ++i) {
        seen.insert(order.at(i));
        moved = moved || order.at(i) != static_cast<double>(i);
    }
    EXPECT_EQ(seen.size(), 100U);
    EXPECT_TRUE(moved);
}

TEST(Bernoulli, rejects_what_is_no_probability) {
    EXPECT_THROW((void)run_kernel("Bernoulli", {floats({1}, {0}), floats({}, {1.5F})}, seeds(0, 0)),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
