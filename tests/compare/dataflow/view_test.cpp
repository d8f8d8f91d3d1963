#include "compare/dataflow/view.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// The view taken by hand, and held against what find_view() and apply() make of another tensor.
struct Taken {
    Shape shape;
    int64_t offset = 0;
    std::vector<View::Loop> loops;
    int64_t source_numel = 0;

    [[nodiscard]] Tensor of(const Tensor& source) const {
        std::vector<float> values;
        take(source.as<float>(), offset, 0, values);
        return Tensor::from<float>(shape, std::span<const float>(values));
    }

  private:
    void take(std::span<const float> source,
              int64_t at,
              size_t loop,
              std::vector<float>& values) const {
        if (loop == loops.size()) {
            values.push_back(source[static_cast<size_t>(at)]);
            return;
        }
        for (int64_t i = 0; i < loops[loop].extent; ++i)
            take(source, at + i * loops[loop].stride, loop + 1, values);
    }
};

void expect_found(const Taken& taken, const Shape& source_shape) {
    for (const bool with_zeros : {false, true}) {
        const auto relu = [&](float x) { return with_zeros ? std::max(x, 0.f) : x; };
        const Tensor source = changed(random_tensor(source_shape, 1), relu);
        const Tensor other = changed(random_tensor(source_shape, 2), relu);
        const auto view = find_view(taken.of(source), source);
        ASSERT_TRUE(view) << to_string(taken.shape) << with_zeros;
        EXPECT_TRUE(identical(apply(*view, other), taken.of(other))) << to_string(taken.shape);
        EXPECT_FALSE(find_view(changed(taken.of(source), [](float x) { return x + 3; }), source));
    }
}

/// Each of the elements three times.
Tensor expanded(const Tensor& rows) {
    Tensor wide(DType::kFloat32, {rows.dim(0), rows.dim(1), 3});
    for (size_t i = 0; i < static_cast<size_t>(wide.numel()); ++i)
        wide.mutable_as<float>()[i] = rows.as<float>()[i / 3];
    return wide;
}

TEST(FindView, finds_a_slice_of_what_holds_each_element_several_times) {
    const Taken slice = {.shape = {2, 2, 3}, .offset = 6, .loops = {{2, 15}, {6, 1}}};
    const Tensor source = expanded(random_tensor({2, 5}, 1));
    const Tensor other = random_tensor({2, 5, 3}, 2);
    const auto view = find_view(slice.of(source), source);
    ASSERT_TRUE(view);
    EXPECT_TRUE(identical(apply(*view, other), slice.of(other)));
    // Anywhere along the axis.
    const Tensor alike = changed(source, [](float) { return 1.0F; });
    EXPECT_FALSE(find_view(slice.of(alike), alike));
}

TEST(FindView, finds_reshape_and_transpose) {
    expect_found({{8, 6}, 0, {{8, 6}, {6, 1}}}, {4, 12});
    expect_found({{12, 4}, 0, {{12, 1}, {4, 12}}}, {4, 12});
}

// The places of what is not zero: no number in them is there but once.
TEST(FindView, finds_columns_of_few_numbers) {
    Tensor places(DType::kInt64, {40, 2});
    Tensor column(DType::kInt64, {40});
    for (int64_t i = 0; i < 40; ++i) {
        const auto row = static_cast<size_t>(i);
        places.mutable_as<int64_t>()[2 * row] = i / 4;
        column.mutable_as<int64_t>()[row] = i * i % 3;
        places.mutable_as<int64_t>()[2 * row + 1] = column.as<int64_t>()[row];
    }
    const auto view = find_view(column, places);
    ASSERT_TRUE(view);
    EXPECT_TRUE(identical(apply(*view, places), column));
    column.mutable_as<int64_t>()[7] += 1;
    EXPECT_FALSE(find_view(column, places));
}

TEST(FindView, finds_permuted_dimensions_and_merged_ones) {
    // [2,5,3,4] as [2,3,5,4], then batch and heads merged: [6,5,4].
    expect_found({{2, 3, 5, 4}, 0, {{2, 60}, {3, 4}, {5, 12}, {4, 1}}}, {2, 5, 3, 4});
    expect_found({{6, 5, 4}, 0, {{2, 60}, {3, 4}, {5, 12}, {4, 1}}}, {2, 5, 3, 4});
    expect_found({{6, 4, 5}, 0, {{2, 60}, {3, 4}, {4, 1}, {5, 12}}}, {2, 5, 3, 4});
}

TEST(FindView, finds_slices_rows_and_chunks) {
    expect_found({{6, 4}, 4, {{6, 12}, {4, 1}}}, {6, 12});
    expect_found({{24}, 7, {{24, 12}}}, {24, 12});
    expect_found({{3, 12}, 12, {{3, 24}, {12, 1}}}, {6, 12});
}

TEST(FindView, finds_flipped_and_expanded_tensors) {
    expect_found({{6, 12}, 11, {{6, 12}, {12, -1}}}, {6, 12});
    expect_found({{5, 12}, 0, {{5, 0}, {12, 1}}}, {12});
    expect_found({{12, 5}, 0, {{12, 1}, {5, 0}}}, {12});
}

TEST(FindView, of_large_dimensions_follows_some_places) {
    expect_found({{500, 300}, 0, {{500, 1}, {300, 500}}}, {300, 500});
}

TEST(FindView, finds_the_cast_of_a_view) {
    const Tensor source = random_tensor({9, 7}, 1);
    const auto view = find_view(transposed(source).cast(DType::kFloat16), source);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->cast, DType::kFloat16);
    const Tensor other = random_tensor({9, 7}, 2);
    EXPECT_TRUE(identical(apply(*view, other), transposed(other).cast(DType::kFloat16)));
}

TEST(FindView, finds_none_in_other_elements) {
    EXPECT_FALSE(find_view(random_tensor({4, 4}, 1), random_tensor({4, 4}, 2)));
    const Tensor source = random_tensor({4, 4}, 1);
    Tensor shuffled = source;
    for (size_t i = 0; i < 16; ++i)
        shuffled.mutable_as<float>()[i] = source.as<float>()[i * 5 % 16 ^ 3];
    EXPECT_FALSE(find_view(shuffled, source));
}

TEST(ApplyView, rejects_another_number_of_elements) {
    const Tensor source = random_tensor({4, 4}, 1);
    EXPECT_THROW(static_cast<void>(apply(*find_view(source, source), random_tensor({4, 5}, 1))),
                 Error);
}

}  // namespace
}  // namespace npuscope::compare
