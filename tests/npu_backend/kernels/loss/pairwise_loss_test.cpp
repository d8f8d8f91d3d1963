#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues reduction(const char* name) {
    return {{"reduction", std::string(name)}};
}

TEST(MseLoss, reduces_as_asked) {
    const std::vector<Tensor> inputs = {floats({3}, {1, 2, 3}), floats({3}, {0, 4, 3})};
    EXPECT_EQ(run_kernel("MseLoss", inputs, reduction("none")).at(1), 4);
    EXPECT_EQ(run_kernel("MseLoss", inputs, reduction("sum")).at(0), 5);
    EXPECT_FLOAT_EQ(static_cast<float>(run_kernel("MseLoss", inputs, reduction("mean")).at(0)),
                    5.0F / 3.0F);
}

TEST(MseLoss, saturates_on_the_chip_that_does) {
    const std::vector<Tensor> inputs = {halves({2}, {300, 300}), halves({2}, {0, 0})};
    const KernelRun on_a = run_kernel("MseLoss", inputs, reduction("sum"));
    EXPECT_EQ(on_a.half(), 0x7bff);
    EXPECT_TRUE(on_a.status.overflow());
    EXPECT_EQ(run_kernel("MseLoss", inputs, reduction("sum"), b()).half(), 0x7c00);
}

TEST(BinaryCrossEntropy, counts_no_logarithm_below_minus_100) {
    const KernelRun run = run_kernel("BinaryCrossEntropy",
                                     {floats({2}, {0, 1}), floats({2}, {1, 1}), floats({1}, {2})},
                                     reduction("none"));
    EXPECT_EQ(run.at(0), 200);
    EXPECT_EQ(run.at(1), 0);
}

TEST(SmoothL1LossV2, is_the_distance_for_sigma_0) {
    NamedValues attributes = reduction("none");
    attributes.push_back({"sigma", 0.0});
    const KernelRun run =
        run_kernel("SmoothL1LossV2", {floats({2}, {1, 2}), floats({2}, {1.25F, 2})}, attributes);
    EXPECT_EQ(run.at(0), 0.25);
    EXPECT_EQ(run.at(1), 0);
}

TEST(HuberLossGrad, keeps_nan) {
    NamedValues attributes = reduction("sum");
    attributes.push_back({"delta", 1.0});
    const KernelRun run =
        run_kernel("HuberLossGrad",
                   {floats({}, {3}),
                    floats({3}, {5, -0.5F, std::numeric_limits<float>::quiet_NaN()}),
                    floats({3}, {0, 0, 0})},
                   attributes);
    EXPECT_EQ(run.at(0), 3);
    EXPECT_EQ(run.at(1), -1.5);
    EXPECT_TRUE(std::isnan(run.at(2)));
    EXPECT_TRUE(run.status.input_non_finite());
}

}  // namespace
}  // namespace npuscope::backend::test
