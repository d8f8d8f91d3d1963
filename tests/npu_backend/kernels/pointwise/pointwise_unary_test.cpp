#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/npu_backend/kernels/kernel_run.h"

namespace npuscope::backend::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Boundary table of the Ascend C vector unit, saturation column.
TEST(PointwiseUnary, saturation_mode_writes_no_inf_and_no_nan_in_float16) {
    EXPECT_EQ(run_kernel("Abs", {halves({1}, {-kInf})}).at(0), 65504);
    EXPECT_EQ(run_kernel("Relu", {halves({1}, {kNan})}).at(0), 0);
    EXPECT_EQ(run_kernel("Exp", {halves({1}, {kInf})}).at(0), 65504);
    EXPECT_EQ(run_kernel("Sqrt", {halves({1}, {-1})}).at(0), 0);
    EXPECT_EQ(run_kernel("Log", {halves({1}, {0})}).at(0), -65504);
    EXPECT_EQ(run_kernel("Reciprocal", {halves({1}, {0})}).at(0), 65504);
}

TEST(PointwiseUnary, infnan_mode_follows_ieee) {
    EXPECT_EQ(run_kernel("Abs", {halves({1}, {-kInf})}, {}, b()).at(0), kInf);
    EXPECT_TRUE(std::isnan(run_kernel("Relu", {halves({1}, {kNan})}, {}, b()).at(0)));
    EXPECT_TRUE(std::isnan(run_kernel("Sqrt", {halves({1}, {-1})}, {}, b()).at(0)));
    EXPECT_EQ(run_kernel("Log", {halves({1}, {0})}, {}, b()).at(0), -kInf);
}

TEST(PointwiseUnary, float32_is_never_saturated) {
    EXPECT_EQ(run_kernel("Exp", {floats({1}, {100})}).at(0), kInf);
    EXPECT_TRUE(run_kernel("Exp", {floats({1}, {100})}).status.overflow());
}

TEST(PointwiseUnary, overflow_is_raised_for_finite_inputs_only) {
    EXPECT_EQ(run_kernel("Exp", {halves({1}, {12})}).status.bits, FloatStatus::kOverflow);
    EXPECT_EQ(run_kernel("Exp", {halves({1}, {kInf})}).status.bits,
              FloatStatus::kVectorInputNonFinite);
    EXPECT_EQ(run_kernel("Neg", {halves({1}, {65504})}).status.bits, 0u);
}

// The table's subnormal results: 1 / 65504 in float16, 1 / FLT_MAX in float32.
TEST(PointwiseUnary, keeps_subnormal_results) {
    EXPECT_EQ(run_kernel("Reciprocal", {halves({1}, {65504})}).half(), 0x0100);
    EXPECT_FLOAT_EQ(
        static_cast<float>(
            run_kernel("Reciprocal", {floats({1}, {std::numeric_limits<float>::max()})}).at(0)),
        2.938736e-39f);
}

TEST(PointwiseUnary, integers_are_exact) {
    const Tensor x = Tensor::from<int64_t>({2}, {-(int64_t{1} << 60) - 1, 7});
    EXPECT_EQ(run_kernel("Neg", {x}).outputs[0].as<int64_t>()[0], (int64_t{1} << 60) + 1);
    EXPECT_EQ(run_kernel("Relu", {x}).outputs[0].as<int64_t>()[1], 7);
    EXPECT_EQ(run_kernel("Abs", {x}).outputs[0].as<int64_t>()[0], (int64_t{1} << 60) + 1);
}

TEST(PointwiseUnary, float64_stays_float64_on_chips) {
    const Tensor x = Tensor::scalar<double>(2.0);
    EXPECT_EQ(run_kernel("Sqrt", {x}).at(0), std::sqrt(2.0));
}

TEST(PointwiseUnary, muls_rounds_its_number_first) {
    // 1 + 2^-12 is 1 in float16.
    EXPECT_EQ(run_kernel("Muls", {halves({1}, {3})}, {{"value", 1.0 + 0x1p-12}}).at(0), 3.0);
}

TEST(PointwiseUnary, rejects_integers_where_only_floats_make_sense) {
    EXPECT_THROW((void)run_kernel("Exp", {Tensor::scalar<int32_t>(1)}), Error);
}

TEST(PointwiseUnary, same_bits_with_one_and_two_threads) {
    Tensor x(DType::kFloat32, {200000});
    float next = -3;
    for (float& value : x.mutable_as<float>())
        value = next += 0x1p-15f;
    EXPECT_TRUE(identical(run_kernel("Exp", {x}, {}, a(), 1).outputs[0],
                          run_kernel("Exp", {x}, {}, a(), 2).outputs[0]));
}

TEST(VectorOptions, put_a_fixed_error_on_instructions) {
    const Tensor x = floats({3}, {1.5f, 3, 7});
    const std::vector<std::string> settings = {"rec_ulp=2"};
    const Device device = Device::npu(chip("910B"), settings);
    const KernelRun first = run_kernel("Reciprocal", {x}, {}, device);
    const KernelRun again = run_kernel("Reciprocal", {x}, {}, device);
    EXPECT_TRUE(identical(first.outputs[0], again.outputs[0]));
    for (int64_t i = 0; i < 3; ++i) {
        const float exact = 1.0f / static_cast<float>(x.at(i));
        const float unit = std::ldexp(1.0f, std::ilogb(exact) - 23);
        EXPECT_EQ(std::fabs(static_cast<float>(first.at(i)) - exact), 2 * unit);
    }
    // Square roots are not of that unit.
    EXPECT_EQ(run_kernel("Sqrt", {floats({1}, {4})}, {}, device).at(0), 2);
}

TEST(VectorOptions, flush_subnormals) {
    const Tensor x = floats({2}, {0x1p-130f, 0x1p-126f});
    const std::vector<std::string> settings = {"vec_ftz=on"};
    const KernelRun run = run_kernel("Sqrt", {x}, {}, Device::npu(chip("910B"), settings));
    EXPECT_EQ(run.at(0), 0);
    EXPECT_EQ(run.at(1), 0x1p-63);
    EXPECT_EQ(run_kernel("Sqrt", {x}, {}, b()).at(0), 0x1p-65);
}

}  // namespace
}  // namespace npuscope::backend::test
