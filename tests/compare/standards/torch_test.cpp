#include <gtest/gtest.h>

#include "tests/compare/standards/scored.h"

namespace npuscope::compare {
namespace {

std::string close_word(DType dtype, double target, double golden) {
    return scored("torch", numbers(dtype, {target}), numbers(dtype, {golden})).word;
}

TEST(TorchStandard, has_tolerances_by_dtype) {
    EXPECT_EQ(close_word(DType::kFloat32, 100.00013, 100), "close");
    EXPECT_EQ(close_word(DType::kFloat32, 100.0002, 100), "not close");
    EXPECT_EQ(close_word(DType::kFloat64, 1 + 1.9e-7, 1), "close");
    EXPECT_EQ(close_word(DType::kFloat64, 1 + 2.1e-7, 1), "not close");
    // Steps of bfloat16 above 1 are 2^-7: two of them are within 0.016 + 1e-5.
    EXPECT_EQ(close_word(DType::kBFloat16, 1 + 2 * 0x1p-7, 1), "close");
    EXPECT_EQ(close_word(DType::kBFloat16, 1 + 3 * 0x1p-7, 1), "not close");
    EXPECT_EQ(close_word(DType::kFloat16, 1 + 0x1p-10, 1), "close");
    EXPECT_EQ(close_word(DType::kFloat16, 1 + 2 * 0x1p-10, 1), "not close");
    EXPECT_EQ(close_word(DType::kInt8, 3, 2), "not close");
    EXPECT_EQ(close_word(DType::kInt8, 3, 3), "close");
}

TEST(TorchStandard, takes_infinities_as_equal_and_no_nan) {
    EXPECT_EQ(close_word(DType::kFloat32, kInfinite, kInfinite), "close");
    EXPECT_EQ(close_word(DType::kFloat32, kInfinite, -kInfinite), "not close");
    EXPECT_EQ(close_word(DType::kFloat32, kNotANumber, kNotANumber), "not close");
}

TEST(TorchStandard, rejects_another_dtype_or_shape) {
    EXPECT_EQ(scored("torch", numbers(DType::kFloat16, {1}), numbers(DType::kFloat32, {1})).word,
              "not close");
    EXPECT_EQ(scored("torch", numbers(DType::kFloat32, {1}), numbers(DType::kFloat32, {1, 1})).word,
              "not close");
}

}  // namespace
}  // namespace npuscope::compare
