#include "compare/measure/expanded_input.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

std::optional<Tensor> expanded(const Tensor& tensor, const Shape& shape) {
    return expanded_to(shape, TensorElements(tensor));
}

TEST(ExpandedInput, repeats_along_axes_of_one_element_and_in_front) {
    const auto column = Tensor::from<float>({2, 1}, std::vector<float>{1, 2});
    const auto row = Tensor::from<float>({3}, std::vector<float>{4, 5, 6});
    EXPECT_TRUE(identical(*expanded(column, {2, 3}),
                          Tensor::from<float>({2, 3}, std::vector<float>{1, 1, 1, 2, 2, 2})));
    EXPECT_TRUE(identical(*expanded(row, {2, 3}),
                          Tensor::from<float>({2, 3}, std::vector<float>{4, 5, 6, 4, 5, 6})));
}

TEST(ExpandedInput, is_none_of_another_extent_or_of_fewer_axes) {
    const auto column = Tensor::from<float>({2, 1}, std::vector<float>{1, 2});
    EXPECT_FALSE(expanded(column, {3, 3}));
    EXPECT_FALSE(expanded(column, {2}));
    EXPECT_FALSE(expanded(Tensor::zeros(DType::kFloat32, {0}), {3}));
}

}  // namespace
}  // namespace npuscope::compare
