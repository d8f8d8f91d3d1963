#include "compare/relate/usual_views.h"

#include <gtest/gtest.h>

#include "tests/compare/relate/made_side.h"

namespace npuscope::compare {

namespace {

using test::random_tensor;

ListedTensor listed(const Shape& shape, RankForm form = RankForm::kAlone) {
    ListedTensor tensor;
    tensor.shape = shape;
    tensor.form = form;
    tensor.sketch.numel = numel_of(shape);
    return tensor;
}

TensorRelation through(const std::optional<View>& view) {
    return {.kind = RelationKind::kPermuted, .target_view = view};
}

/// Rows that each of `ranks` has of as many parts, side by side, as the whole has them.
Tensor put_together(const Tensor& shards, int64_t parts) {
    const int64_t ranks = shards.dim(0);
    const int64_t length = shards.dim(1) / parts;
    Tensor whole(DType::kFloat32, {ranks * shards.dim(1), shards.dim(2)});
    for (int64_t rank = 0; rank < ranks; ++rank)
        for (int64_t part = 0; part < parts; ++part)
            for (int64_t row = 0; row < length; ++row)
                for (int64_t column = 0; column < shards.dim(2); ++column)
                    whole.mutable_as<float>()[static_cast<size_t>(
                        ((part * ranks + rank) * length + row) * shards.dim(2) + column)] =
                        shards.as<float>()[static_cast<size_t>(
                            (rank * shards.dim(1) + part * length + row) * shards.dim(2) + column)];
    return whole;
}

}  // namespace

TEST(UsualViews, knows_all_that_shards_of_a_shape_are_put_together_of) {
    const ListedTensor shards = listed({4, 12, 5}, RankForm::kShards);
    const ListedTensor whole = listed({48, 5});
    const auto of_two = view_of_shards(shards.shape, whole.shape, 0, false, 2);
    const auto of_three = view_of_shards(shards.shape, whole.shape, 0, false, 3);
    ASSERT_TRUE(of_two && of_three);
    UsualViews views;
    views.learn(shards, whole, through(of_three));
    views.learn(shards, whole, through(of_two));
    views.learn(shards, whole, through(of_two));
    EXPECT_EQ(views.of(shards, whole), of_two);
    EXPECT_EQ(views.all_of(shards, whole), (std::vector<View>{*of_two, *of_three}));
}

TEST(UsualViews, learns_from_a_part_of_how_many_the_whole_is_put_together) {
    const ListedTensor whole = listed({48, 5});
    // The second of three parts, four rows on each of four ranks.
    const View second{
        .shape = {4, 4, 5}, .source_numel = 240, .offset = 80, .loops = {{4, 20}, {4, 5}, {5, 1}}};
    UsualViews views;
    const ListedTensor fused = listed({4, 12, 5}, RankForm::kShards);
    EXPECT_EQ(views.of(fused, whole), view_of_shards(fused.shape, whole.shape, 0, false, 1));
    views.learn(listed({4, 4, 5}, RankForm::kShards),
                whole,
                {.kind = RelationKind::kPart, .golden_view = second});
    EXPECT_EQ(views.of(fused, whole), view_of_shards(fused.shape, whole.shape, 0, false, 3));
}

TEST(UsualViews, tries_shards_of_other_shapes_as_put_together_of_one_to_three) {
    const ListedTensor shards = listed({4, 12, 5}, RankForm::kShards);
    const ListedTensor whole = listed({48, 5});
    const Tensor of_ranks = random_tensor(shards.shape, 1);
    const std::vector<View> views = UsualViews().all_of(shards, whole);
    for (int64_t parts = 1; parts <= 3; ++parts) {
        const Tensor expected = put_together(of_ranks, parts);
        EXPECT_TRUE(std::ranges::any_of(views, [&](const View& view) {
            return identical(apply(view, of_ranks), expected);
        })) << parts;
    }
    EXPECT_TRUE(UsualViews().all_of(listed({4, 12, 5}), listed({48, 5})).empty());
}

}  // namespace npuscope::compare
