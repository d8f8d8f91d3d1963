#include "compare/growth/any_order.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

SourceTensor tensor_of(const std::vector<float>& elements, const Shape& shape) {
    Tensor tensor(DType::kFloat32, shape);
    std::ranges::copy(elements, tensor.mutable_as<float>().begin());
    SourceTensor source;
    source.hold(tensor);
    return source;
}

TEST(AnyOrder, APermutationIsNotApart) {
    EXPECT_EQ(distance_in_any_order(tensor_of({1, 2, 3, 4}, {2, 2}), tensor_of({4, 2, 1, 3}, {4})),
              0);
}

TEST(AnyOrder, IsTheDistanceOfTheBestArrangement) {
    // 3, 4 and 4, 3.5: the best puts 3 to 3.5, half a unit off, of a norm of sqrt(4^2 + 3.5^2).
    const auto distance = distance_in_any_order(tensor_of({3, 4}, {2}), tensor_of({4, 3.5}, {2}));
    EXPECT_DOUBLE_EQ(distance.value_or(-1), 0.5 / std::sqrt(28.25));
}

TEST(AnyOrder, OtherNumbersOfElementsHaveNone) {
    EXPECT_FALSE(distance_in_any_order(tensor_of({1, 2}, {2}), tensor_of({1, 2, 3}, {3})));
    EXPECT_FALSE(distance_in_any_order(tensor_of({}, {0}), tensor_of({}, {0})));
}

TEST(AnyOrder, ZeroAndInfinityAreFarFromOrdinaryNumbers) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(distance_in_any_order(tensor_of({1, 2}, {2}), tensor_of({0, 0}, {2})), infinity);
    EXPECT_EQ(distance_in_any_order(tensor_of({1, INFINITY}, {2}), tensor_of({1, 2}, {2})),
              infinity);
    EXPECT_EQ(distance_in_any_order(tensor_of({1, INFINITY}, {2}), tensor_of({INFINITY, 1}, {2})),
              0);
}

}  // namespace
}  // namespace npuscope::compare
