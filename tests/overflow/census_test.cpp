#include "overflow/census.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "overflow/census_bits.h"
#include "tests/support/values.h"

namespace npuscope::overflow {
namespace {

using test::kInf;

Tensor halves(const std::vector<uint16_t>& patterns) {
    Tensor tensor(DType::kFloat16, {static_cast<int64_t>(patterns.size())});
    std::memcpy(tensor.mutable_data(), patterns.data(), tensor.nbytes());
    return tensor;
}

TEST(Census, counts_each_class_of_a_float16_pattern) {
    // inf, -inf, two nans, ±65504, largest subnormal, smallest subnormal, smallest normal, ±0, 1
    const Census census = take_census(halves({0x7C00,
                                              0xFC00,
                                              0x7E00,
                                              0xFC01,
                                              0x7BFF,
                                              0xFBFF,
                                              0x03FF,
                                              0x8001,
                                              0x0400,
                                              0x0000,
                                              0x8000,
                                              0x3C00})
                                          .view());
    EXPECT_EQ(census.numel, 12);
    EXPECT_EQ(census.inf, 2);
    EXPECT_EQ(census.nan, 2);
    EXPECT_EQ(census.at_limit, 2);
    EXPECT_EQ(census.at_half_limit, 0);
    EXPECT_EQ(census.subnormal, 2);
    EXPECT_EQ(census.max_finite, 65504.0);
}

TEST(Census, every_float16_pattern_is_in_its_ieee_class) {
    std::vector<uint16_t> all(65536);
    for (size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<uint16_t>(i);
    const Census census = take_census(halves(all).view());
    EXPECT_EQ(census.inf, 2);
    EXPECT_EQ(census.nan, 2 * 1023);
    EXPECT_EQ(census.at_limit, 2);
    EXPECT_EQ(census.subnormal, 2 * 1023);
    EXPECT_EQ(census.max_finite, 65504.0);
}

TEST(Census, counts_bfloat16_by_its_own_limits) {
    Tensor tensor(DType::kBFloat16, {6});
    const uint16_t patterns[] = {0x7F80, 0xFF81, 0xFF7F, 0x0001, 0x0080, 0x477F};
    std::memcpy(tensor.mutable_data(), patterns, sizeof patterns);
    const Census census = take_census(tensor.view());
    EXPECT_EQ(census.inf, 1);
    EXPECT_EQ(census.nan, 1);
    EXPECT_EQ(census.at_limit, 1);
    EXPECT_EQ(census.at_half_limit, 0);
    EXPECT_EQ(census.subnormal, 1);
    EXPECT_EQ(census.max_finite, 0x1.fep127);
}

TEST(Census, float32_tells_65504_from_its_own_limit) {
    const float max = std::numeric_limits<float>::max();
    const Tensor tensor = Tensor::from<float>(
        {8}, {65504.0F, -65504.0F, 65505.0F, max, -kInf, NAN, 0x1p-127F, 0x1p-126F});
    const Census census = take_census(tensor.view());
    EXPECT_EQ(census.at_half_limit, 2);
    EXPECT_EQ(census.at_limit, 1);
    EXPECT_EQ(census.inf, 1);
    EXPECT_EQ(census.nan, 1);
    EXPECT_EQ(census.subnormal, 1);
    EXPECT_EQ(census.max_finite, static_cast<double>(max));
}

TEST(Census, float16_values_stored_as_float32_are_judged_as_float16) {
    const Tensor tensor = Tensor::from<float>({5}, {65504.0F, 0x1p-15F, 0x1p-14F, kInf, 0.0F});
    const Census census = take_census(tensor.view(), DType::kFloat16);
    EXPECT_EQ(census.at_limit, 1);
    EXPECT_EQ(census.at_half_limit, 0);
    EXPECT_EQ(census.subnormal, 1);
    EXPECT_EQ(census.inf, 1);
    EXPECT_EQ(census.max_finite, 65504.0);
}

TEST(Census, counts_float64) {
    const Tensor tensor = Tensor::from<double>({5}, {1e308, 0x1p-1023, INFINITY, NAN, -65504.0});
    const Census census = take_census(tensor.view());
    EXPECT_EQ(census.inf, 1);
    EXPECT_EQ(census.nan, 1);
    EXPECT_EQ(census.subnormal, 1);
    EXPECT_EQ(census.at_half_limit, 1);
    EXPECT_EQ(census.max_finite, 1e308);
}

TEST(Census, integers_and_empty_tensors_have_nothing_to_count) {
    EXPECT_EQ(take_census(Tensor::from<int32_t>({2}, {0, 0x7f800000}).view()).inf, 0);
    EXPECT_EQ(take_census(Tensor::from<int32_t>({2}, {0, 1}).view()).numel, 2);
    const Census empty = take_census(Tensor(DType::kFloat16, {0, 4}).view());
    EXPECT_EQ(empty.numel, 0);
    EXPECT_EQ(empty.max_finite, 0.0);
}

TEST(Census, does_not_depend_on_the_number_of_threads) {
    std::mt19937 random(7);
    Tensor tensor(DType::kFloat16, {20'000'003});
    auto elements = tensor.mutable_as<Float16>();
    for (Float16& element : elements)
        element.bits = static_cast<uint16_t>(random());
    const Census one = take_census(tensor.view(), 1);
    const Census four = take_census(tensor.view(), 4);
    EXPECT_EQ(one.numel, four.numel);
    EXPECT_EQ(one.inf, four.inf);
    EXPECT_EQ(one.nan, four.nan);
    EXPECT_EQ(one.at_limit, four.at_limit);
    EXPECT_EQ(one.subnormal, four.subnormal);
    EXPECT_GT(one.inf, 0);
}

template <class Bits>
void expect_equal_levels(uint32_t seed, const bits::Marks<Bits>& marks) {
    std::mt19937_64 random(seed);
    const Bits special[] = {0,
                            1,
                            marks.min_normal,
                            static_cast<Bits>(marks.min_normal - 1),
                            marks.limit,
                            marks.half_limit,
                            marks.infinity,
                            static_cast<Bits>(marks.infinity + 1)};
    for (size_t count : {0, 1, 15, 16, 31, 33, 64, 127, 1000, 8192}) {
        std::vector<std::byte> memory(count * sizeof(Bits) + 1);
        for (size_t i = 0; i < count; ++i) {
            Bits element = random() % 4 == 0 ? special[random() % 8] : static_cast<Bits>(random());
            if (random() % 2 == 0) element |= static_cast<Bits>(Bits{1} << (sizeof(Bits) * 8 - 1));
            // One byte off: alignment must not matter.
            std::memcpy(memory.data() + 1 + i * sizeof(Bits), &element, sizeof element);
        }
        const std::byte* data = memory.data() + 1;
        const auto slow = bits::extremes<Bits>(data, count, bits::Level::kPortable);
        const auto counts = bits::count_marks<Bits>(data, count, marks, bits::Level::kPortable);
        for (bits::Level level : {bits::Level::kAvx2, bits::Level::kAvx512}) {
            if (level > bits::best_level()) continue;
            const auto fast = bits::extremes<Bits>(data, count, level);
            EXPECT_EQ(fast.largest, slow.largest) << count;
            EXPECT_EQ(fast.smallest_less_one, slow.smallest_less_one) << count;
            const auto fast_counts = bits::count_marks<Bits>(data, count, marks, level);
            EXPECT_EQ(fast_counts.inf, counts.inf) << count;
            EXPECT_EQ(fast_counts.nan, counts.nan) << count;
            EXPECT_EQ(fast_counts.at_limit, counts.at_limit) << count;
            EXPECT_EQ(fast_counts.at_half_limit, counts.at_half_limit) << count;
            EXPECT_EQ(fast_counts.subnormal, counts.subnormal) << count;
            EXPECT_EQ(fast_counts.largest_finite, counts.largest_finite) << count;
        }
    }
}

TEST(CensusBits, vector_paths_count_what_the_portable_one_counts) {
    expect_equal_levels<uint16_t>(1, {0x7C00, 0x7BFF, 0x7BFF, 0x0400});
    expect_equal_levels<uint16_t>(2, {0x7F80, 0x7F7F, 0x7F7F, 0x0080});
    expect_equal_levels<uint32_t>(3, {0x7F800000, 0x7F7FFFFF, 0x477FE000, 0x00800000});
    expect_equal_levels<uint32_t>(4, {0x7F800000, 0x477FE000, 0x477FE000, 0x38800000});
    expect_equal_levels<uint64_t>(
        5, {0x7FF0000000000000, 0x7FEFFFFFFFFFFFFF, 0x40EFFC0000000000, 0x0010000000000000});
}

}  // namespace
}  // namespace npuscope::overflow
