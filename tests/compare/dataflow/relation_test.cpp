#include "compare/dataflow/relation.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

/// `tensor` with its elements taken in another order: element i of the result is that of index
/// order(i).
template <class F>
Tensor taken(const Tensor& tensor, F&& order) {
    Tensor result = tensor;
    for (int64_t i = 0; i < tensor.numel(); ++i)
        result.mutable_as<float>()[static_cast<size_t>(i)] =
            tensor.as<float>()[static_cast<size_t>(order(i))];
    return result;
}

std::string text(const Tensor& target, const Tensor& golden) {
    return relation_of(target, golden).text;
}

const Tensor kGolden = random_tensor({8, 8}, 1);

TEST(Relation, is_equal_up_to_the_narrower_dtype) {
    for (const DType narrow : {DType::kFloat16, DType::kBFloat16}) {
        EXPECT_EQ(relation_of(kGolden.cast(narrow), kGolden).likeness, Likeness::kEqual);
        EXPECT_EQ(relation_of(kGolden, kGolden.cast(narrow)).likeness, Likeness::kEqual);
    }
    EXPECT_EQ(relation_of(kGolden, kGolden).likeness, Likeness::kEqual);
}

TEST(Relation, says_nothing_of_a_unit_in_the_last_place) {
    const Tensor next = changed(kGolden, [](float x) { return std::nextafter(x, 9.f); });
    EXPECT_EQ(relation_of(next, kGolden).likeness, Likeness::kRounding);
}

// 3/512 is less than a unit of bfloat16 (2^-7 of the power of two below), so that some elements
// stay where they are and others move by one.
TEST(Relation, names_what_moves_rounded_elements_to_one_side) {
    const Tensor golden = random_tensor({32, 32}, 1).cast(DType::kBFloat16);
    const auto scaled = [&](float factor, DType dtype) {
        return changed(golden.cast(DType::kFloat32), [&](float x) { return x * factor; })
            .cast(dtype);
    };
    const Relation larger = relation_of(scaled(1 + 3.0F / 512, DType::kBFloat16), golden);
    EXPECT_EQ(larger.likeness, Likeness::kLeaning);
    EXPECT_EQ(larger.text, "it is scaled by about 1.006");
    // Toward zero, as truncation moves them.
    EXPECT_EQ(relation_of(scaled(1 - 3.0F / 512, DType::kBFloat16), golden).likeness,
              Likeness::kRounding);
    unsigned i = 0;
    const Tensor noisy = changed(golden.cast(DType::kFloat32), [&](float x) {
                             return ++i % 2 == 0 ? x * (1 + 3.0F / 512) : x * (1 - 3.0F / 512);
                         }).cast(DType::kBFloat16);
    EXPECT_EQ(relation_of(noisy, golden).likeness, Likeness::kRounding);
}

TEST(Relation, names_what_was_done_to_all_elements) {
    EXPECT_EQ(text(changed(kGolden, [](float) { return 0.f; }), kGolden), "it is all zero");
    EXPECT_EQ(text(changed(kGolden, [](float x) { return x * 1.01f; }), kGolden),
              "it is scaled by 1.01");
    EXPECT_EQ(text(changed(kGolden, [](float x) { return -x; }), kGolden), "its sign is changed");
    EXPECT_EQ(text(changed(kGolden, [](float x) { return x + 0.5f; }), kGolden),
              "0.5 is added to it");
    EXPECT_EQ(text(changed(kGolden, [](float x) { return x * 2 - 1; }), kGolden),
              "it is scaled by 2, and -1 is added");
    EXPECT_EQ(text(kGolden.cast(DType::kFloat16).cast(DType::kFloat32), kGolden),
              "it is rounded to float16");
    EXPECT_EQ(relation_of(kGolden.cast(DType::kFloat16).cast(DType::kFloat32), kGolden).likeness,
              Likeness::kNarrowed);
    EXPECT_EQ(text(kGolden.cast(DType::kBFloat16).cast(DType::kFloat32), kGolden),
              "it is rounded to bfloat16");
    EXPECT_EQ(text(kGolden, kGolden.cast(DType::kBFloat16).cast(DType::kFloat32)),
              "it is not rounded to bfloat16 as the golden's is");
}

TEST(Relation, draws_no_line_through_two_values) {
    unsigned i = 0;
    const auto two = [&](float one, float other) {
        return changed(kGolden, [&](float) { return ++i % 2 == 0 ? one : other; });
    };
    EXPECT_EQ(relation_of(two(-0.25F, -0.250244F), two(-0.25F, -0.25000003F)).likeness,
              Likeness::kOther);
}

TEST(Relation, names_moved_elements) {
    EXPECT_EQ(text(transposed(kGolden), kGolden), "it is its transpose");
    EXPECT_EQ(text(transposed(kGolden).cast(DType::kFloat16), kGolden), "it is its transpose");
    const Tensor wide = random_tensor({4, 6}, 2);
    EXPECT_EQ(text(transposed(wide), wide), "it is its transpose");
    EXPECT_EQ(text(transposed(wide).reshaped({4, 6}), wide),
              "its elements lie as in its transpose");
    EXPECT_EQ(text(taken(kGolden, [](int64_t i) { return i / 8 * 8 + 7 - i % 8; }), kGolden),
              "it is flipped along axis 1");
    EXPECT_EQ(text(taken(kGolden, [](int64_t i) { return 63 - i; }), kGolden),
              "it is flipped along axes 0 and 1");
    const Tensor images = random_tensor({2, 3, 2, 2}, 3);
    EXPECT_EQ(
        text(taken(images, [](int64_t i) { return i / 12 * 12 + (2 - i / 4 % 3) * 4 + i % 4; }),
             images),
        "its channels are flipped along axis 1");
    EXPECT_EQ(text(taken(kGolden, [](int64_t i) { return (i + 56) % 64; }), kGolden),
              "it is shifted by 1 along axis 0, cyclically");
    EXPECT_EQ(
        text(taken(kGolden, [](int64_t i) { return std::max<int64_t>(i - 8, i % 8); }), kGolden),
        "it is shifted by 1 along axis 0");
    EXPECT_EQ(text(taken(kGolden,
                         [](int64_t i) { return i / 8 == 2   ? i + 24
                                                : i / 8 == 5 ? i - 24
                                                             : i; }),
                   kGolden),
              "its slices 2 and 5 along axis 0 are swapped");
    EXPECT_EQ(text(taken(kGolden, [](int64_t i) { return i * 37 % 64; }), kGolden),
              "its elements are in another order");
    EXPECT_EQ(relation_of(transposed(wide), wide).likeness, Likeness::kMoved);
}

TEST(Relation, names_swapped_axes_of_more_dimensions) {
    const Tensor kernel = random_tensor({2, 2, 3, 3}, 4);
    EXPECT_EQ(
        text(taken(kernel, [](int64_t i) { return i / 9 * 9 + i % 3 * 3 + i / 3 % 3; }), kernel),
        "its axes 2 and 3 are swapped");
}

TEST(Relation, shows_the_elements_that_differ) {
    const Tensor golden = with_element(kGolden, 29, 0.25f);
    const Relation one = relation_of(with_element(golden, 29, 0.5f), golden);
    EXPECT_EQ(one.text, "one element of 64 differs, [3,5]: 0.5 against 0.25");
    EXPECT_EQ(one.likeness, Likeness::kEdited);
    Tensor column = golden;
    for (size_t i = 5; i < 64; i += 8)
        column.mutable_as<float>()[i] = i == 29 ? 7.25f : column.as<float>()[i] * 0.5f;
    EXPECT_EQ(text(column, golden),
              "8 of 64 elements differ, all at 5 along axis 1, most at [3,5]: 7.25 against 0.25");
}

TEST(Relation, of_unlike_tensors_is_other) {
    const Relation found = relation_of(random_tensor({8, 8}, 9), kGolden);
    EXPECT_EQ(found.likeness, Likeness::kOther);
    EXPECT_GT(found.distance, 0.5);
    EXPECT_EQ(text(random_tensor({3}, 1), kGolden), "its shape is [3], the golden's [8,8]");
}

TEST(Relation, sees_nan_on_one_side) {
    EXPECT_EQ(text(with_element(kGolden, 0, NAN), with_element(kGolden, 0, 1)),
              "one element of 64 differs, [0,0]: nan against 1");
    EXPECT_EQ(relation_of(with_element(kGolden, 0, NAN), with_element(kGolden, 0, NAN)).likeness,
              Likeness::kEqual);
}

}  // namespace
}  // namespace npuscope::compare
