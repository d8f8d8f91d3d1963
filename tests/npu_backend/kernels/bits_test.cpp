#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(Bits, follow_the_truth_table) {
    const Tensor a = Tensor::from<uint8_t>({4}, {0b0011, 0xff, 0x80, 0});
    const Tensor b = Tensor::from<uint8_t>({4}, {0b0101, 0x0f, 0x80, 0});
    const auto run = [&](const char* type) { return run_kernel(type, {a, b}).outputs[0]; };
    EXPECT_TRUE(identical(run("BitwiseAnd"), Tensor::from<uint8_t>({4}, {0b0001, 0x0f, 0x80, 0})));
    EXPECT_TRUE(identical(run("BitwiseOr"), Tensor::from<uint8_t>({4}, {0b0111, 0xff, 0x80, 0})));
    EXPECT_TRUE(identical(run("BitwiseXor"), Tensor::from<uint8_t>({4}, {0b0110, 0xf0, 0, 0})));
}

TEST(Bits, invert_numbers_and_truth_values) {
    const Tensor x = Tensor::from<int32_t>({3}, {0, -1, 5});
    EXPECT_TRUE(
        identical(run_kernel("Invert", {x}).outputs[0], Tensor::from<int32_t>({3}, {-1, 0, -6})));
    EXPECT_EQ(run_kernel("Invert", {Tensor::scalar(true)}).outputs[0].at(0), 0);
}

TEST(Bits, rejects_floats) {
    const Tensor x = Tensor::scalar(1.0f);
    EXPECT_THROW((void)run_kernel("BitwiseAnd", {x, x}), Error);
    EXPECT_THROW((void)run_kernel("Invert", {x}), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
