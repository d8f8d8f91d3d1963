#include "core/tensor/padding.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/values.h"

namespace npuscope {
namespace {

std::vector<float> values_of(const std::optional<Tensor>& tensor) {
    if (!tensor) return {};
    const auto elements = tensor->as<float>();
    return {elements.begin(), elements.end()};
}

TEST(Padding, is_taken_off_where_it_is_zeros) {
    const Tensor padded = test::floats({2, 3}, {1, 2, 0, 3, 4, 0});
    EXPECT_EQ(values_of(without_padding(padded, {2, 2})), (std::vector<float>{1, 2, 3, 4}));
    const Tensor rows = test::floats({3, 2}, {1, 2, 3, 4, 0, 0});
    EXPECT_EQ(values_of(without_padding(rows, {2, 2})), (std::vector<float>{1, 2, 3, 4}));
}

TEST(Padding, is_what_stands_first_along_an_axis_of_one) {
    const Tensor expanded = test::floats({2, 2}, {5, 6, 5, 6});
    EXPECT_EQ(values_of(without_padding(expanded, {1, 2})), (std::vector<float>{5, 6}));
    // Two of them are no repetition.
    EXPECT_FALSE(without_padding(test::floats({4}, {5, 6, 5, 6}), {2}));
}

TEST(Padding, is_nothing_that_was_computed) {
    EXPECT_FALSE(without_padding(test::floats({2, 3}, {1, 2, 0, 3, 4, 1e-30F}), {2, 2}));
    EXPECT_FALSE(
        without_padding(test::floats({3}, {1, 2, std::numeric_limits<float>::quiet_NaN()}), {2}));
}

TEST(Padding, has_as_many_axes_and_is_larger) {
    const Tensor tensor = test::floats({2, 2}, {1, 2, 3, 4});
    EXPECT_FALSE(without_padding(tensor, {2, 2}));
    EXPECT_FALSE(without_padding(tensor, {4}));
    EXPECT_FALSE(without_padding(tensor, {3, 1}));
    EXPECT_FALSE(without_padding(tensor, {2, 0}));
}

}  // namespace
}  // namespace npuscope
