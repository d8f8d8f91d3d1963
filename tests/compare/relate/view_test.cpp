#include "compare/relate/view.h"

#include <gtest/gtest.h>

#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::random_tensor;

/// Rows 1 to 3 and columns 0 to 3 of [5,6].
const View kCorner{.shape = {3, 4}, .source_numel = 30, .offset = 6, .loops = {{3, 6}, {4, 1}}};

}  // namespace

TEST(View, of_a_view_is_one_view) {
    const Tensor source = random_tensor({5, 6}, 1);
    const Tensor corner = apply(kCorner, source);
    const View views[] = {
        {.shape = {4, 3}, .source_numel = 12, .loops = {{4, 1}, {3, 4}}},  // transposed
        {.shape = {12}, .source_numel = 12, .loops = {{12, 1}}},           // flat
        {.shape = {3, 2}, .source_numel = 12, .offset = 2, .loops = {{3, 4}, {2, 1}}},  // columns
        {.shape = {2, 3, 2}, .source_numel = 12, .loops = {{2, 1}, {3, 4}, {2, 2}}},    // split
        {.shape = {2, 4}, .source_numel = 12, .offset = 4, .loops = {{2, 4}, {4, 1}}},  // rows
    };
    for (const View& each : views) {
        const auto both = composed(each, kCorner);
        ASSERT_TRUE(both.has_value()) << to_string(each.shape);
        EXPECT_TRUE(stays_inside(*both));
        EXPECT_TRUE(identical(apply(*both, source), apply(each, corner)));
    }
    // Six elements in a row go through one row and half of the next.
    const View crooked{.shape = {6}, .source_numel = 12, .loops = {{6, 1}}};
    EXPECT_FALSE(composed(crooked, kCorner).has_value());
}

TEST(View, covers_the_same_places_in_whatever_order) {
    // Columns 0 to 3 of rows 1 to 3, by rows, by columns, with an axis of one, columns in halves.
    const View others[] = {
        {.shape = {4, 3}, .source_numel = 30, .offset = 6, .loops = {{4, 1}, {3, 6}}},
        {.shape = {3, 1, 4}, .source_numel = 30, .offset = 6, .loops = {{3, 6}, {1, 0}, {4, 1}}},
        {.shape = {2, 3, 2}, .source_numel = 30, .offset = 6, .loops = {{2, 2}, {3, 6}, {2, 1}}},
    };
    for (const View& each : others)
        EXPECT_TRUE(cover_the_same(each, kCorner)) << to_string(each.shape);
    const View strangers[] = {
        {.shape = {3, 4}, .source_numel = 30, .offset = 7, .loops = {{3, 6}, {4, 1}}},
        {.shape = {4, 3}, .source_numel = 30, .offset = 6, .loops = {{4, 6}, {3, 1}}},
        {.shape = {3, 4}, .source_numel = 31, .offset = 6, .loops = {{3, 6}, {4, 1}}},
    };
    for (const View& each : strangers)
        EXPECT_FALSE(cover_the_same(each, kCorner)) << to_string(each.shape);
    // Backwards they are told apart rather than followed.
    const View backwards{.shape = {4}, .source_numel = 30, .offset = 9, .loops = {{4, -1}}};
    const View forwards{.shape = {4}, .source_numel = 30, .offset = 6, .loops = {{4, 1}}};
    EXPECT_TRUE(cover_the_same(backwards, backwards));
    EXPECT_FALSE(cover_the_same(backwards, forwards));
}

TEST(View, goes_on_in_the_next_tile) {
    const Tensor source = random_tensor({3, 8}, 2);
    // Elements 0, 2, 4 of a row, then those of the next.
    const View view{.shape = {7}, .source_numel = 24, .loops = {{7, 2, 3, 8}}};
    const int64_t places[] = {0, 2, 4, 8, 10, 12, 16};
    const Tensor seen = apply(view, source);
    for (int64_t i = 0; i < 7; ++i) {
        EXPECT_EQ(seen.at(i), source.at(places[i]));
        EXPECT_EQ(place_in_source(view, i), places[i]);
    }
    EXPECT_TRUE(stays_inside(view));
    EXPECT_FALSE(stays_inside({.shape = {9}, .source_numel = 20, .loops = {{9, 2, 3, 8}}}));
    EXPECT_FALSE(stays_inside({.shape = {6}, .source_numel = 24, .loops = {{6, 9, 3, 9}}}));
}

}  // namespace npuscope::compare
