#include "core/cann_dump/unpadded.h"

#include <numeric>

#include <gtest/gtest.h>

namespace npuscope::cann_dump {
namespace {

using layout::Format;

DumpedTensor counted(Format format, const Shape& shape, const Shape& original) {
    std::vector<float> values(static_cast<size_t>(numel_of(shape)));
    std::iota(values.begin(), values.end(), 0.0f);
    const auto count = static_cast<int64_t>(values.size());
    DumpedTensor tensor;
    tensor.format = static_cast<int64_t>(format);
    tensor.shape = shape;
    tensor.original_shape = original;
    tensor.data = {Tensor::from<float>({count}, std::span<const float>(values)), "float32"};
    return tensor;
}

std::vector<float> elements(const RealArray& array) {
    const auto values = array.values.as<float>();
    return {values.begin(), values.end()};
}

TEST(Unpadded, leaves_the_blocks_and_the_padding_behind) {
    // Two blocks of two channels, of which three are real; one pixel row of two.
    const RealArray plain = unpadded(counted(Format::kNC1HWC0, {1, 2, 1, 2, 2}, {1, 3, 1, 2}));
    EXPECT_EQ(plain.shape(), (Shape{1, 3, 1, 2}));
    EXPECT_EQ(elements(plain), (std::vector<float>{0, 2, 1, 3, 4, 6}));
}

TEST(Unpadded, is_as_stored_where_the_original_shape_is_unknown_or_cannot_be) {
    for (const Shape& original : {Shape{}, Shape{8}, Shape{2, 40, 1, 2}}) {
        const RealArray stored = unpadded(counted(Format::kFRACTAL_Z, {1, 2, 1, 2}, original));
        EXPECT_EQ(stored.shape(), (Shape{1, 2, 1, 2}));
        EXPECT_EQ(elements(stored), (std::vector<float>{0, 1, 2, 3}));
    }
}

TEST(CutTo, keeps_the_first_elements_of_every_dim) {
    const auto cut = cut_to(counted(Format::kND, {9}, {}).data.reshaped({3, 3}), {2, 2});
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(cut->shape(), (Shape{2, 2, 1, 1}));
    EXPECT_EQ(elements(*cut), (std::vector<float>{0, 1, 3, 4}));
}

TEST(CutTo, has_nothing_where_more_is_wanted) {
    EXPECT_FALSE(cut_to(counted(Format::kND, {4}, {}).data, {5}).has_value());
}

}  // namespace
}  // namespace npuscope::cann_dump
