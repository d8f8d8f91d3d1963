#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues attributes(int64_t stride, int64_t pad, int64_t groups, DType output) {
    return {{"strides", IntList{1, 1, stride, stride}},
            {"pads", IntList{pad, pad, pad, pad}},
            {"dilations", IntList{1, 1, 1, 1}},
            {"groups", groups},
            {"output_padding", IntList{0, 0}},
            {"output_dtype", output}};
}

TEST(Conv2D, sums_the_window_under_the_filter) {
    const Tensor x = halves({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const Tensor filter = halves({1, 1, 2, 2}, {1, 0, 0, 10});
    const KernelRun run = run_kernel(
        "Conv2D", {x, filter, floats({1}, {0.5f})}, attributes(1, 0, 1, DType::kFloat32));
    // By hand: 1 + 50, 2 + 60, 4 + 80, 5 + 90, and the bias.
    EXPECT_TRUE(identical(run.outputs[0], floats({1, 1, 2, 2}, {51.5f, 62.5f, 84.5f, 95.5f})));
}

TEST(Conv2D, hf32_drops_12_bits_on_910B_only) {
    const float value = 1.0f + 0x1p-12f;
    const std::vector<Tensor> inputs = {floats({1, 1, 1, 1}, {value}),
                                        floats({1, 1, 1, 1}, {value})};
    const NamedValues named = attributes(1, 0, 1, DType::kFloat32);
    EXPECT_EQ(run_kernel("Conv2D", inputs, named, b()).at(0), 1.0);
    EXPECT_EQ(run_kernel("Conv2D", inputs, named, Device::reference32()).at(0), 1.0 + 0x1p-11);
}

TEST(Conv2D, an_infinite_pixel_raises_no_overflow) {
    const float inf = std::numeric_limits<float>::infinity();
    const KernelRun run =
        run_kernel("Conv2D",
                   {halves({1, 1, 2, 2}, {inf, 1, 1, 1}), halves({1, 1, 1, 1}, {2})},
                   attributes(1, 0, 1, DType::kFloat32));
    EXPECT_FALSE(run.status.overflow());
    EXPECT_TRUE(run.status.input_non_finite());
}

TEST(Conv2D, an_infinite_bias_raises_no_overflow) {
    const float inf = std::numeric_limits<float>::infinity();
    const KernelRun run =
        run_kernel("Conv2D",
                   {halves({1, 1, 1, 1}, {1}), halves({1, 1, 1, 1}, {2}), floats({1}, {inf})},
                   attributes(1, 0, 1, DType::kFloat32));
    EXPECT_FALSE(run.status.overflow());
    EXPECT_TRUE(run.status.input_non_finite());
}

TEST(Conv2D, result_beyond_float16_saturates_with_the_copy_bit) {
    const KernelRun run = run_kernel("Conv2D",
                                     {halves({1, 1, 1, 1}, {300}), halves({1, 1, 1, 1}, {300})},
                                     attributes(1, 0, 1, DType::kFloat16));
    EXPECT_EQ(run.half(), 0x7BFF);
    EXPECT_EQ(run.status.bits, FloatStatus::kCopyOverflow);
}

TEST(Conv2D, same_bits_with_one_and_two_threads) {
    Tensor x(DType::kFloat32, {4, 8, 16, 16});
    float next = 0;
    for (float& value : x.mutable_as<float>())
        value = std::sin(next += 1);
    Tensor filter(DType::kFloat32, {8, 8, 3, 3});
    for (float& value : filter.mutable_as<float>())
        value = std::cos(next += 1);
    const NamedValues named = attributes(1, 1, 1, DType::kFloat32);
    EXPECT_TRUE(identical(run_kernel("Conv2D", {x, filter}, named, b(), 1).outputs[0],
                          run_kernel("Conv2D", {x, filter}, named, b(), 2).outputs[0]));
}

TEST(Conv2D, rejects_channels_that_do_not_fit) {
    EXPECT_THROW((void)run_kernel("Conv2D",
                                  {halves({1, 2, 1, 1}, {1, 1}), halves({1, 1, 1, 1}, {1})},
                                  attributes(1, 0, 1, DType::kFloat16)),
                 Error);
    EXPECT_THROW((void)run_kernel("Conv2D",
                                  {halves({1, 1, 1, 1}, {1}), halves({1, 1, 2, 2}, {1, 1, 1, 1})},
                                  attributes(1, 0, 1, DType::kFloat16)),
                 Error);
}

TEST(Conv2DTranspose, spreads_each_pixel_by_the_stride) {
    const KernelRun run = run_kernel("Conv2DTranspose",
                                     {halves({1, 1, 1, 2}, {1, 2}), halves({1, 1, 1, 2}, {10, 1})},
                                     attributes(2, 0, 1, DType::kFloat32));
    EXPECT_TRUE(identical(run.outputs[0], floats({1, 1, 1, 4}, {10, 1, 20, 2})));
}

}  // namespace
}  // namespace npuscope::backend::test
