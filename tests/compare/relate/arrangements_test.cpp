#include "compare/relate/arrangements.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "compare/relate/slices.h"
#include "tests/compare/relate/made_side.h"

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

}  // namespace npuscope::compare
