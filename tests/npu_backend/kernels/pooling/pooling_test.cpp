#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(MaxPool, padding_never_wins_and_nan_does) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const NamedValues attributes = {{"ksize", IntList{1, 1, 2, 2}},
                                    {"strides", IntList{1, 1, 2, 2}},
                                    {"pads", IntList{0, 0, 1, 1}},
                                    {"dilation", IntList{1, 1, 1, 1}},
                                    {"ceil_mode", false}};
    const KernelRun run =
        run_kernel("MaxPoolWithArgmaxV1", {floats({1, 1, 2, 2}, {-5, nan, -7, -8})}, attributes);
    EXPECT_EQ(run.at(0), -5);
    EXPECT_TRUE(std::isnan(run.at(1)));
    EXPECT_EQ(run.outputs[1].at(3), 3);
}

TEST(AvgPool, counts_padding_or_not) {
    const auto pool = [](bool exclusive) {
        return run_kernel("AvgPoolV2",
                          {halves({1, 1, 1, 2}, {4, 8})},
                          {{"ksize", IntList{1, 1, 1, 2}},
                           {"strides", IntList{1, 1, 1, 2}},
                           {"pads", IntList{0, 0, 1, 1}},
                           {"ceil_mode", false},
                           {"exclusive", exclusive}});
    };
    EXPECT_EQ(pool(false).at(0), 2);
    EXPECT_EQ(pool(true).at(0), 4);
}

TEST(Pooling, rejects_more_padding_than_half_a_window) {
    EXPECT_THROW((void)run_kernel("AvgPoolV2",
                                  {halves({1, 1, 1, 2}, {4, 8})},
                                  {{"ksize", IntList{1, 1, 1, 1}},
                                   {"strides", IntList{1, 1, 1, 1}},
                                   {"pads", IntList{1, 1, 0, 0}},
                                   {"ceil_mode", false},
                                   {"exclusive", false}}),
                 Error);
}

}  // namespace
}  // namespace npuscope::backend::test
