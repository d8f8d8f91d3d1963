#include "compare/dataflow/content.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

Content content(const Tensor& tensor, std::optional<DType> rounded = {}) {
    return content_of(TensorElements(tensor), rounded);
}

TEST(Content, is_equal_for_equal_values_of_other_dtypes) {
    const Tensor half = random_tensor({7, 9}, 1).cast(DType::kFloat16);
    const Content narrow = content(half);
    const Content wide = content(half.cast(DType::kFloat64));
    EXPECT_EQ(narrow.bag, wide.bag);
    EXPECT_EQ(narrow.sequence, wide.sequence);
    EXPECT_TRUE(wide.fits_half);
    EXPECT_FALSE(wide.fits_bfloat);
    EXPECT_EQ(content(Tensor::from<int64_t>({3}, {1, 5, -2})).sequence,
              content(Tensor::from<float>({3}, {1, 5, -2})).sequence);
}

TEST(Content, has_one_bag_and_two_sequences_for_another_order) {
    const Tensor tensor = random_tensor({40, 30}, 2);
    EXPECT_EQ(content(tensor).bag, content(transposed(tensor)).bag);
    EXPECT_NE(content(tensor).sequence, content(transposed(tensor)).sequence);
}

TEST(Content, tells_one_element_among_many_pieces) {
    const Tensor tensor = random_tensor({50000}, 3);
    const Tensor other = with_element(tensor, 49999, 0.25f);
    EXPECT_NE(content(tensor).bag, content(other).bag);
    EXPECT_NE(content(tensor).sequence, content(other).sequence);
}

TEST(Content, of_rounded_elements_is_that_of_the_cast_tensor) {
    const Tensor tensor = random_tensor({33}, 4);
    for (const DType narrow : {DType::kFloat16, DType::kBFloat16}) {
        const Content rounded = content(tensor, narrow);
        EXPECT_EQ(rounded.sequence, content(tensor.cast(narrow)).sequence);
        EXPECT_NE(rounded.sequence, content(tensor).sequence);
    }
    const Tensor wide = tensor.cast(DType::kFloat64);
    EXPECT_EQ(content(wide, DType::kFloat32).sequence, content(tensor).sequence);
}

TEST(Content, says_nothing_of_zeros_ones_and_short_masks) {
    for (const Tensor& plain :
         {Tensor::zeros(DType::kFloat32, {64}),
          changed(Tensor::zeros(DType::kFloat32, {64}), [](float) { return 0.1f; }),
          Tensor::from<float>({4}, {0, 1, 1, 0}),
          Tensor::scalar<float>(0.5f)}) {
        EXPECT_FALSE(content(plain).tells_order());
        EXPECT_FALSE(content(plain).tells_bag());
    }
}

TEST(Content, says_much_of_random_numbers_and_long_masks_in_order) {
    EXPECT_TRUE(content(random_tensor({2}, 5)).tells_bag());
    EXPECT_TRUE(content(Tensor::scalar<float>(0.123456f)).tells_order());
    const Tensor mask = changed(random_tensor({64}, 6), [](float x) { return x > 0 ? 1.f : 0.f; });
    EXPECT_TRUE(content(mask).tells_order());
    EXPECT_FALSE(content(mask).tells_bag());
}

TEST(Content, counts_nan_and_takes_all_of_them_for_one) {
    Tensor one = with_element(random_tensor({8}, 7), 3, std::nanf("1"));
    Tensor other = with_element(one, 3, -std::nanf("2"));
    EXPECT_EQ(content(one).nan, 1);
    EXPECT_EQ(content(one).sequence, content(other).sequence);
    one.mutable_as<float>()[0] = std::nanf("1");
    EXPECT_EQ(content(one).nan, 2);
}

TEST(Content, of_no_elements_is_empty) {
    EXPECT_EQ(content(Tensor(DType::kFloat32, {0})).numel, 0);
    EXPECT_FALSE(content(Tensor(DType::kFloat32, {0})).tells_order());
}

}  // namespace
}  // namespace npuscope::compare
