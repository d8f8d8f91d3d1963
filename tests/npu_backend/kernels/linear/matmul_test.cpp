#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

NamedValues plain(DType output) {
    return {{"transpose_x1", false}, {"transpose_x2", false}, {"output_dtype", output}};
}

TEST(MatMul, accumulates_float16_in_float32) {
    // 2048 + 15 ones: a float16 accumulator would stay at 2048.
    std::vector<float> row(16, 1.0f);
    row[0] = 2048;
    const KernelRun run =
        run_kernel("MatMul",
                   {halves({1, 16}, row), halves({16, 1}, std::vector<float>(16, 1))},
                   plain(DType::kFloat32));
    EXPECT_EQ(run.at(0), 2063);
}

TEST(MatMul, copy_to_float16_saturates_with_its_own_bit) {
    const std::vector<Tensor> inputs = {halves({1, 2}, {256, 256}), halves({2, 1}, {256, 256})};
    const KernelRun saturating = run_kernel("MatMul", inputs, plain(DType::kFloat16));
    EXPECT_EQ(saturating.half(), 0x7BFF);
    EXPECT_EQ(saturating.status.bits, FloatStatus::kCopyOverflow);
    EXPECT_EQ(run_kernel("MatMul", inputs, plain(DType::kFloat16), b()).half(), 0x7C00);
    EXPECT_EQ(run_kernel("MatMul", inputs, plain(DType::kFloat32)).at(0), 131072);
}

TEST(MatMul, copy_to_float16_tells_what_became_zero) {
    const std::vector<Tensor> inputs = {halves({1, 1}, {0x1p-14f}), halves({1, 1}, {0x1p-12f})};
    const KernelRun run = run_kernel("MatMul", inputs, plain(DType::kFloat16));
    EXPECT_EQ(run.half(), 0);
    EXPECT_EQ(run.status.bits, FloatStatus::kCopyUnderflow);
    EXPECT_EQ(run_kernel("MatMul", inputs, plain(DType::kFloat32)).status.bits, 0u);
}

TEST(MatMul, float32_accumulator_overflow_raises_the_cube_bit) {
    const KernelRun run = run_kernel(
        "MatMul", {floats({1, 1}, {1e30f}), floats({1, 1}, {1e30f})}, plain(DType::kFloat32), b());
    EXPECT_TRUE(std::isinf(run.at(0)));
    EXPECT_EQ(run.status.bits, FloatStatus::kCubeOverflow);
}

TEST(MatMul, infinite_inputs_are_no_overflow) {
    const float inf = std::numeric_limits<float>::infinity();
    const KernelRun run = run_kernel(
        "MatMul", {floats({2, 1}, {inf, 1}), floats({1, 1}, {2})}, plain(DType::kFloat32), b());
    EXPECT_TRUE(std::isinf(run.at(0)));
    EXPECT_EQ(run.at(1), 2);
    EXPECT_EQ(run.status.bits, FloatStatus::kCubeInputNonFinite);
}

TEST(MatMul, an_overflow_beside_an_infinite_input_is_still_seen) {
    const float inf = std::numeric_limits<float>::infinity();
    const KernelRun run = run_kernel("MatMul",
                                     {floats({2, 1}, {inf, 1e30f}), floats({1, 1}, {1e30f})},
                                     plain(DType::kFloat32),
                                     b());
    EXPECT_EQ(run.status.bits, FloatStatus::kCubeInputNonFinite | FloatStatus::kCubeOverflow);
}

TEST(MatMul, transposes_by_flag) {
    const Tensor x = floats({2, 2}, {1, 2, 3, 4});
    const Tensor y = floats({2, 2}, {5, 6, 7, 8});
    // x^T y^T, by hand.
    const KernelRun run = run_kernel(
        "MatMul",
        {x, y},
        {{"transpose_x1", true}, {"transpose_x2", true}, {"output_dtype", DType::kFloat32}},
        b());
    EXPECT_TRUE(identical(run.outputs[0], floats({2, 2}, {23, 31, 34, 46})));
}

TEST(MatMul, rejects_float32_on_a_cube_without_it) {
    EXPECT_THROW(
        (void)run_kernel(
            "MatMul", {floats({1, 1}, {1}), floats({1, 1}, {1})}, plain(DType::kFloat32), a()),
        Error);
}

TEST(MatMul, rejects_shapes_that_do_not_fit) {
    EXPECT_THROW(
        (void)run_kernel(
            "MatMul", {halves({1, 2}, {1, 1}), halves({1, 2}, {1, 1})}, plain(DType::kFloat16)),
        Error);
}

TEST(BatchMatMul, multiplies_each_pair) {
    const KernelRun run =
        run_kernel("BatchMatMul",
                   {halves({2, 1, 2}, {1, 2, 3, 4}), halves({2, 2, 1}, {5, 6, 7, 8})},
                   {{"adj_x1", false}, {"adj_x2", false}, {"output_dtype", DType::kFloat16}});
    EXPECT_EQ(run.outputs[0].shape(), (Shape{2, 1, 1}));
    EXPECT_EQ(run.at(0), 17);
    EXPECT_EQ(run.at(1), 53);
}

}  // namespace
}  // namespace npuscope::backend::test
