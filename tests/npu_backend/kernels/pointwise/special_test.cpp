#include <cmath>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

double of(const char* type, double x) {
    return run_kernel(type, {Tensor::scalar<double>(x)}, {}, Device::reference64()).at(0);
}

TEST(Erfinv, undoes_erf) {
    for (const double x : {1e-9, 0.1, 0.4, 0.9, 1.7, 2.5, 3.5})
        EXPECT_NEAR(of("Erfinv", std::erf(x)) / x, 1.0, 1e-15 / std::erfc(x) + 1e-14) << x;
    EXPECT_TRUE(std::isinf(of("Erfinv", -1)));
    EXPECT_TRUE(std::isnan(of("Erfinv", 1.5)));
}

TEST(Expm1, keeps_small_arguments) {
    EXPECT_EQ(of("Expm1", 1e-20), 1e-20);
    EXPECT_EQ(of("Log1p", 1e-20), 1e-20);
}

TEST(NanToNum, writes_the_limits_of_the_dtype) {
    const KernelRun run = run_kernel("NanToNum", {half_bits({0x7c00, 0xfc00, 0x7e00})}, {}, b());
    EXPECT_EQ(run.half(0), 0x7bff);
    EXPECT_EQ(run.half(1), 0xfbff);
    EXPECT_EQ(run.half(2), 0);
}

TEST(CdistGrad, is_zero_between_equal_rows) {
    const KernelRun run =
        run_kernel("CdistGrad",
                   {floats({3}, {2, 2, 2}), floats({3}, {3, -3, 0}), floats({3}, {5, 5, 0})},
                   {{"p", 2.0}});
    EXPECT_EQ(run.at(0), static_cast<double>(6.0F / 5.0F));
    EXPECT_EQ(run.at(1), static_cast<double>(-6.0F / 5.0F));
    EXPECT_EQ(run.at(2), 0);
}

TEST(Logit, holds_what_it_reads_inside_its_limits) {
    const KernelRun run = run_kernel("Logit", {floats({2}, {-3, 0.5F})}, {{"eps", 0.25}});
    EXPECT_FLOAT_EQ(static_cast<float>(run.at(0)), -std::log(3.0F));
    EXPECT_EQ(run.at(1), 0);
    const std::vector<Tensor> inputs = {floats({2}, {1, 1}), floats({2}, {-3, 0.5F})};
    EXPECT_EQ(run_kernel("LogitGrad", inputs, {{"eps", 0.25}}).at(0), 0);
    EXPECT_TRUE(std::isnan(run_kernel("LogitGrad", inputs).at(0)));
    EXPECT_EQ(run_kernel("LogitGrad", inputs).at(1), 4);
}

TEST(Trunc, goes_towards_zero) {
    const KernelRun run = run_kernel("Trunc", {floats({2}, {-1.5F, 1.5F})});
    EXPECT_EQ(run.at(0), -1);
    EXPECT_EQ(run.at(1), 1);
}

}  // namespace
}  // namespace npuscope::backend::test
