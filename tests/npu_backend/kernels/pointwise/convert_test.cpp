#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

TEST(CastKernel, saturates_on_910A_and_raises_overflow) {
    const KernelRun run =
        run_kernel("Cast", {floats({2}, {1e6f, 1.0f})}, {{"dst_type", DType::kFloat16}});
    EXPECT_EQ(run.half(0), 0x7BFF);
    EXPECT_EQ(run.half(1), 0x3C00);
    EXPECT_TRUE(run.status.overflow());
}

TEST(TransDataKernel, keeps_values_and_shares_them) {
    const Tensor x = floats({1, 2, 1, 1}, {1, 2});
    const KernelRun run =
        run_kernel("TransData",
                   {x},
                   {{"src_format", std::string("NCHW")}, {"dst_format", std::string("NC1HWC0")}});
    EXPECT_EQ(run.outputs[0].storage_id(), x.storage_id());
}

TEST(CastKernel, rejects_a_missing_attribute) {
    EXPECT_THROW((void)run_kernel("Cast", {}), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
