#include "core/tensor/difference.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/values.h"

namespace npuscope {
namespace {

using test::kInf;
using test::kNan;

TEST(Difference, takes_the_largest_step_over_the_largest_value) {
    const Difference found =
        difference(Tensor::from<float>({3}, {1, -4, 2.5f}), Tensor::from<double>({3}, {1, -5, 2}));
    EXPECT_EQ(found.max_abs, 1);
    EXPECT_EQ(found.largest, 5);
    EXPECT_EQ(found.unequal, 2);
    EXPECT_EQ(found.relative(), 0.2);
}

TEST(Difference, takes_two_nan_as_equal_and_one_as_infinitely_far) {
    const Tensor nan = Tensor::from<double>({2}, {kNan, 1});
    EXPECT_EQ(difference(nan, nan).unequal, 0);
    EXPECT_EQ(difference(nan, nan).max_abs, 0);
    const Tensor none = Tensor::from<double>({2}, {2, 1});
    EXPECT_EQ(difference(nan, none).max_abs, kInf);
    EXPECT_EQ(difference(none, nan).relative(), kInf);
}

TEST(Difference, takes_equal_infinities_as_equal) {
    const Tensor up = Tensor::from<double>({1}, {kInf});
    EXPECT_EQ(difference(up, up).max_abs, 0);
    EXPECT_EQ(difference(up, Tensor::from<double>({1}, {-kInf})).max_abs, kInf);
}

TEST(Difference, is_absolute_against_zeros) {
    EXPECT_EQ(
        difference(Tensor::from<float>({1}, {0.5f}), Tensor::from<float>({1}, {0})).relative(),
        0.5);
}

TEST(Difference, sees_the_last_element_of_many) {
    Tensor a = Tensor::zeros(DType::kInt32, {3, 8192});
    const Tensor b = a;
    a.mutable_as<int32_t>().back() = 7;
    EXPECT_EQ(difference(a, b).max_abs, 7);
    EXPECT_EQ(difference(a, b).unequal, 1);
}

TEST(Difference, rejects_other_shapes) {
    EXPECT_THROW(
        (void)difference(Tensor::zeros(DType::kInt8, {2}), Tensor::zeros(DType::kInt8, {1, 2})),
        Error);
}

}  // namespace
}  // namespace npuscope
