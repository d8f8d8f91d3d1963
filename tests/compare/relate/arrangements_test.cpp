#include "compare/relate/arrangements.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "compare/relate/slices.h"
#include "tests/compare/relate/made_side.h"
#include "tests/support/values.h"

namespace npuscope::compare {

namespace {

using test::random_tensor;

/// Whether one of the views makes `result` of `source`.
bool makes(const std::vector<View>& views, const Tensor& source, const Tensor& result) {
    return std::ranges::any_of(
        views, [&](const View& view) { return identical(apply(view, source), result); });
}

}  // namespace

TEST(Arrangements, hold_permutations_and_splits_of_axes) {
    const Tensor matrix = random_tensor({4, 6}, 1);
    EXPECT_TRUE(makes(arrangements({4, 6}, {6, 4}, 100), matrix, test::transposed(matrix)));
    // [B,S,H*D] as [B,H,S,D].
    const Tensor hidden = random_tensor({2, 5, 12}, 2);
    Tensor heads(DType::kFloat32, {2, 3, 5, 4});
    for (int64_t b = 0; b < 2; ++b)
        for (int64_t h = 0; h < 3; ++h)
            for (int64_t s = 0; s < 5; ++s)
                for (int64_t d = 0; d < 4; ++d)
                    heads.mutable_as<float>()[static_cast<size_t>(((b * 3 + h) * 5 + s) * 4 + d)] =
                        hidden.as<float>()[static_cast<size_t>((b * 5 + s) * 12 + h * 4 + d)];
    EXPECT_TRUE(makes(arrangements(hidden.shape(), heads.shape(), 400), hidden, heads));
    EXPECT_TRUE(arrangements({4, 6}, {5, 5}, 100).empty());
}

TEST(Arrangements, are_named) {
    const auto views = arrangements({2, 3}, {3, 2}, 100);
    EXPECT_TRUE(std::ranges::any_of(views, [](const View& view) {
        return text_of(view, {2, 3}) == "its transpose";
    }));
    EXPECT_TRUE(is_in_order(arrangements({2, 3}, {6}, 100).front()));
    const auto layouts = arrangements({2, 3, 4, 5}, {2, 4, 5, 3}, 100);
    EXPECT_TRUE(std::ranges::any_of(layouts, [](const View& view) {
        return text_of(view, {2, 3, 4, 5}) == "permuted (0,2,3,1)";
    }));
}

TEST(SliceForms, hold_parts_along_each_axis_and_inside_one) {
    const Tensor whole = random_tensor({6, 12}, 1);
    const Tensor part = test::columns(whole, 4, 8);
    bool found = false;
    for (const SliceForm& form : slice_forms(whole.shape(), part.shape()))
        for (int64_t position = 0; position < form.positions; ++position)
            if (stays_inside(form.at(position)) &&
                identical(apply(form.at(position), whole), part)) {
                found =
                    found || text_of(form, position, whole.shape()) == "4:8 along axis 1 of [6,12]";
            }
    EXPECT_TRUE(found);
    // Of [2 heads, 3, 4] within the last axis: what Megatron keeps of query, key and value.
    const Tensor mixed = random_tensor({5, 24}, 2);
    Tensor keys(DType::kFloat32, {5, 8});
    for (int64_t row = 0; row < 5; ++row)
        for (int64_t head = 0; head < 2; ++head)
            for (int64_t d = 0; d < 4; ++d)
                keys.mutable_as<float>()[static_cast<size_t>(row * 8 + head * 4 + d)] =
                    mixed.as<float>()[static_cast<size_t>(row * 24 + head * 12 + 4 + d)];
    const auto forms = slice_forms(mixed.shape(), keys.shape());
    EXPECT_TRUE(std::ranges::any_of(forms, [&](const SliceForm& form) {
        return form.positions > 1 && stays_inside(form.at(1)) &&
               identical(apply(form.at(1), mixed), keys);
    }));
}

/// Distance of `result` from `source`, in their order.
static double distance_in_order(const std::vector<float>& source,
                                const std::vector<float>& result) {
    const Tensor theirs = test::floats(source);
    const std::vector<View> views = arrangements(theirs.shape(), theirs.shape(), 1);
    return distance_through(
        views.at(0), TensorElements(theirs), TensorElements(test::floats(result)));
}

TEST(DistanceThrough, is_of_the_norm) {
    EXPECT_NEAR(distance_in_order({3, -4}, {3, -4.5}), 0.5 / std::hypot(3, 4.5), 1e-12);
    EXPECT_EQ(distance_in_order({0, 0}, {0, 0}), 0);
}

// Weights of two batch norms are near to each other whatever they are.
TEST(DistanceThrough, is_of_what_elements_are_beside_their_mean_where_only_that_agrees) {
    const std::vector<float> weights = {1.02F, 0.98F, 1.01F, 0.97F, 1.03F, 0.99F, 1.0F, 0.96F};
    const std::vector<float> others = {0.97F, 1.0F, 0.99F, 1.02F, 0.98F, 1.01F, 1.03F, 1.01F};
    EXPECT_GT(distance_in_order(others, weights), 1);
    std::vector<float> rounded;
    for (const float weight : weights)
        rounded.push_back(std::round(weight * 256) / 256);
    EXPECT_LT(distance_in_order(rounded, weights), 0.002);
    // Ones that rounding alone tells apart say nothing.
    EXPECT_LT(distance_in_order({1.0F, 1.0F, 1.001F}, {1.001F, 1.0F, 1.0F}), 0.002);
}

}  // namespace npuscope::compare
