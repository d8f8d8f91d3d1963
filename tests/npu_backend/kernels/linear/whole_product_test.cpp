#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(IntegerMatMul, is_exact_beyond_float32) {
    const Tensor a = Tensor::from<int64_t>({1, 1, 2}, {(int64_t{1} << 53) + 1, 3});
    const Tensor b = Tensor::from<int64_t>({1, 2, 1}, {1, -1});
    const KernelRun run = run_kernel("IntegerMatMul", {a, b});
    EXPECT_EQ(run.outputs[0].as<int64_t>()[0], (int64_t{1} << 53) - 2);
}

TEST(IntegerMatMul, rejects_floats_and_other_shapes) {
    const Tensor a = Tensor::from<int64_t>({1, 1, 2}, {1, 2});
    EXPECT_THROW((void)run_kernel("IntegerMatMul", {a, a}), Error);
    EXPECT_THROW(
        (void)run_kernel("IntegerMatMul", {floats({1, 1, 1}, {1}), floats({1, 1, 1}, {1})}), Error);
}

TEST(Dot, overflows_where_it_saturates) {
    const KernelRun run = run_kernel("Dot", {halves({2}, {256, 256}), halves({2}, {256, 256})});
    EXPECT_EQ(run.half(), 0x7bff);
    EXPECT_TRUE(run.status.overflow());
}

}  // namespace
}  // namespace npuscope::backend::test
