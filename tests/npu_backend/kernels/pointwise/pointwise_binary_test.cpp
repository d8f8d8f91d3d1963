#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

struct Row {
    uint16_t x1, x2, infnan, saturate;
    uint64_t status;
};

void check(const char* kernel, const Row& row) {
    const std::vector<Tensor> inputs = {half_bits({row.x1}), half_bits({row.x2})};
    const KernelRun ieee = run_kernel(kernel, inputs, {}, b());
    EXPECT_EQ(ieee.half(), row.infnan) << std::hex << row.x1 << " " << row.x2;
    EXPECT_EQ(ieee.status.bits, row.status) << std::hex << row.x1 << " " << row.x2;
    const KernelRun saturating = run_kernel(kernel, inputs, {}, a());
    EXPECT_EQ(saturating.half(), row.saturate) << std::hex << row.x1 << " " << row.x2;
    EXPECT_EQ(saturating.status.bits, row.status) << std::hex << row.x1 << " " << row.x2;
}

// Published vectors of float16 addition: 40000 + 40000 overflows, 65504 + 15.99 does not, …
TEST(HalfAdd, follows_the_published_vectors) {
    constexpr Row kRows[] = {{0x78E2, 0x78E2, 0x7C00, 0x7BFF, FloatStatus::kOverflow},
                             {0x7BFF, 0x4C00, 0x7C00, 0x7BFF, FloatStatus::kOverflow},
                             {0x7BFF, 0x4BFF, 0x7BFF, 0x7BFF, 0},
                             {0x6800, 0x3C00, 0x6800, 0x6800, 0},
                             {0x6801, 0x3C00, 0x6802, 0x6802, 0},
                             {0x0400, 0x8001, 0x03FF, 0x03FF, 0}};
    for (const Row& row : kRows)
        check("Add", row);
}

TEST(HalfMul, follows_the_published_vectors) {
    constexpr Row kRows[] = {{0x5C00, 0x5C00, 0x7C00, 0x7BFF, FloatStatus::kOverflow},
                             {0x0400, 0x3800, 0x0200, 0x0200, 0},
                             {0x0001, 0x3800, 0x0000, 0x0000, FloatStatus::kUnderflow},
                             {0x0001, 0x3E00, 0x0002, 0x0002, 0}};
    for (const Row& row : kRows)
        check("Mul", row);
}

TEST(FloatAdd, overflows_to_infinity_with_bit_5) {
    const float large = std::numeric_limits<float>::max();
    const KernelRun run = run_kernel("Add", {floats({1}, {large}), floats({1}, {large})});
    EXPECT_EQ(run.at(0), kInf);
    EXPECT_EQ(run.status.bits, uint64_t{1} << 5);
}

TEST(Axpy, saturates_the_product_before_the_sum) {
    // 2 * 40000 saturates to 65504; minus 30016 gives 35488 instead of 49984.
    const std::vector<Tensor> inputs = {halves({1}, {-30016}), halves({1}, {40000})};
    const KernelRun run = run_kernel("Axpy", inputs, {{"alpha", 2.0}});
    EXPECT_EQ(run.at(0), 35488);
    EXPECT_TRUE(run.status.overflow());
    EXPECT_EQ(run_kernel("Axpy", inputs, {{"alpha", 2.0}}, b()).at(0), kInf);
}

TEST(IntegerAdd, wraps_in_infnan_mode_and_clamps_in_saturation_mode) {
    const std::vector<Tensor> inputs = {Tensor::scalar<int32_t>(INT32_MAX),
                                        Tensor::scalar<int32_t>(1)};
    EXPECT_EQ(run_kernel("Add", inputs, {}, a()).at(0), INT32_MAX);
    EXPECT_EQ(run_kernel("Add", inputs, {}, b()).at(0), INT32_MIN);
    EXPECT_TRUE(run_kernel("Add", inputs, {}, b()).status.overflow());
}

TEST(IntegerMul, is_exact_in_64_bits) {
    const Tensor x = Tensor::scalar<int64_t>((int64_t{1} << 31) + 1);
    const Tensor y = Tensor::scalar<int64_t>((int64_t{1} << 30) - 1);
    EXPECT_EQ(run_kernel("Mul", {x, y}).outputs[0].as<int64_t>()[0],
              ((int64_t{1} << 31) + 1) * ((int64_t{1} << 30) - 1));
}

TEST(Broadcasting, follows_numpy) {
    const KernelRun run = run_kernel("Sub", {floats({2, 1}, {10, 20}), floats({1, 3}, {1, 2, 3})});
    EXPECT_TRUE(identical(run.outputs[0], floats({2, 3}, {9, 8, 7, 19, 18, 17})));
}

TEST(Division, rejects_integers_by_zero) {
    EXPECT_THROW(
        (void)run_kernel("FloorDiv", {Tensor::scalar<int32_t>(1), Tensor::scalar<int32_t>(0)}),
        Error);
}

TEST(PointwiseBinary, rejects_two_dtypes) {
    EXPECT_THROW((void)run_kernel("Add", {halves({1}, {1}), floats({1}, {1})}), Error);
}

}  // namespace
}  // namespace npuscope::backend::test
