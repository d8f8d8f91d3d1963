#include <gtest/gtest.h>

#include "tests/compare/standards/scored.h"

namespace npuscope::compare {
namespace {

std::string simple_word(const Tensor& target, const Tensor& golden) {
    return scored("polygraphy", target, golden).word;
}

TEST(PolygraphyStandard, fails_an_element_beyond_both_tolerances_only) {
    const Tensor golden = numbers(DType::kFloat32, {1000, 1e-6});
    EXPECT_EQ(simple_word(numbers(DType::kFloat32, {1000.005, 1e-6}), golden), "PASSED");
    EXPECT_EQ(simple_word(numbers(DType::kFloat32, {1000, 9e-6}), golden), "PASSED");
    EXPECT_EQ(simple_word(numbers(DType::kFloat32, {1000.02, 1e-6}), golden), "FAILED");
    EXPECT_EQ(simple_word(numbers(DType::kFloat32, {1000, 2e-5}), golden), "FAILED");
}

TEST(PolygraphyStandard, fails_nan_and_infinity_against_infinity) {
    const Tensor infinite = numbers(DType::kFloat32, {kInfinite});
    const Tensor nan = numbers(DType::kFloat32, {kNotANumber});
    EXPECT_EQ(simple_word(infinite, infinite), "FAILED");
    EXPECT_EQ(simple_word(nan, nan), "FAILED");
}

TEST(PolygraphyStandard, divides_whole_numbers_too) {
    EXPECT_EQ(simple_word(numbers(DType::kInt32, {1000001}), numbers(DType::kInt32, {1000000})),
              "PASSED");
    EXPECT_EQ(simple_word(numbers(DType::kInt32, {11}), numbers(DType::kInt32, {10})), "FAILED");
    EXPECT_EQ(simple_word(numbers(DType::kBool, {1}), numbers(DType::kBool, {0})), "FAILED");
}

TEST(PolygraphyStandard, rejects_other_shapes) {
    EXPECT_EQ(simple_word(numbers(DType::kFloat32, {1}), numbers(DType::kFloat32, {1, 1})),
              "FAILED");
}

}  // namespace
}  // namespace npuscope::compare
