#include "core/tensor/ignored_elements.h"

#include <cstring>
#include <set>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope {
namespace {

std::set<int64_t> places(const IgnoredElements& ignored) {
    std::set<int64_t> found;
    int64_t end = -1;
    for (const PlaceRange& range : ignored.ranges()) {
        EXPECT_GT(range.first, end);  // apart from each other
        for (int64_t i = 0; i < range.count; ++i)
            found.insert(range.first + i);
        end = range.first + range.count;
    }
    return found;
}

TEST(IgnoredElements, are_the_union_of_their_slices) {
    IgnoredElements ignored({2, 3, 4});
    EXPECT_TRUE(ignored.add(Slice("0, :, 3")));
    EXPECT_TRUE(ignored.add(Slice("..., 2:")));
    EXPECT_TRUE(ignored.add(Slice("1, 1, ::3")));
    std::set<int64_t> expected;
    for (int64_t i = 0; i < 24; ++i)
        if (i % 4 >= 2 || (i / 4 == 4 && i % 4 == 0)) expected.insert(i);
    EXPECT_EQ(places(ignored), expected);
    EXPECT_EQ(ignored.count(), 13);
    EXPECT_FALSE(ignored.add(Slice("2")));
    EXPECT_EQ(ignored.count(), 13);
}

TEST(IgnoredElements, fit_shapes_that_differ_by_ones) {
    const IgnoredElements ignored({2, 3});
    EXPECT_TRUE(ignored.fits({2, 1, 3}));
    EXPECT_FALSE(ignored.fits({3, 2}));
    EXPECT_FALSE(ignored.fits({6}));
}

TEST(IgnoredElements, may_be_all_or_a_scalar) {
    IgnoredElements all({3, 2});
    EXPECT_TRUE(all.add(Slice("...")));
    EXPECT_EQ(all.count(), 6);
    EXPECT_TRUE(all.kept_ranges().empty());
    IgnoredElements one{Shape{}};
    EXPECT_TRUE(one.add(Slice("...")));
    EXPECT_EQ(one.count(), 1);
}

TEST(KeptElements, are_the_others_in_their_order) {
    IgnoredElements ignored({3, 4});
    ASSERT_TRUE(ignored.add(Slice("1:, 1:3")));
    Tensor tensor(DType::kInt32, {3, 4});
    for (int i = 0; i < 12; ++i)
        tensor.mutable_as<int32_t>()[static_cast<size_t>(i)] = i;
    const std::vector<int32_t> expected = {0, 1, 2, 3, 4, 7, 8, 11};
    const Tensor rest = ignored.rest_of(tensor);
    EXPECT_EQ(std::vector<int32_t>(rest.as<int32_t>().begin(), rest.as<int32_t>().end()), expected);
    const TensorElements whole(tensor);
    const KeptElements kept(whole, ignored);
    std::vector<std::byte> buffer;
    // Pieces that begin and end inside the ranges.
    for (int64_t first = 0; first < 8; ++first)
        for (int64_t count = 0; first + count <= 8; ++count) {
            const std::byte* piece = kept.range(first, count, buffer);
            for (int64_t i = 0; i < count; ++i) {
                int32_t value = 0;
                std::memcpy(&value, piece + 4 * i, 4);
                EXPECT_EQ(value, expected[static_cast<size_t>(first + i)]);
                EXPECT_EQ(kept.place_in_whole(first + i), value);
            }
        }
    EXPECT_EQ(kept.place_in_whole(-1), -1);
}

TEST(KeptElements, rejects_a_tensor_of_another_size) {
    const IgnoredElements ignored({3, 4});
    EXPECT_THROW(static_cast<void>(ignored.rest_of(Tensor::zeros(DType::kInt8, {3}))), Error);
}

}  // namespace
}  // namespace npuscope
