#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(Fill, keeps_dtype_and_shape) {
    const KernelRun ones = run_kernel("OnesLike", {halves({2, 1}, {5, 6})});
    EXPECT_EQ(ones.outputs[0].shape(), (Shape{2, 1}));
    EXPECT_EQ(ones.half(0), 0x3c00);
    EXPECT_EQ(ones.half(1), 0x3c00);
    EXPECT_EQ(run_kernel("ZerosLike", {floats({1}, {5})}).at(0), 0);
}

TEST(Fill, rounds_the_number_to_the_dtype) {
    // 0.1 in binary16 is 0x2e66.
    EXPECT_EQ(run_kernel("Fill", {halves({1}, {5})}, {{"value", 0.1}}).half(), 0x2e66);
}

}  // namespace
}  // namespace npuscope::backend::test
