#include "npu_backend/numerics/operand_range.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

/// As OperandRange says it, a number at a time; without subnormal numbers.
template <class T>
OperandRange by_definition(const std::vector<T>& values) {
    OperandRange range;
    for (const T value : values) {
        if (value == 0) {
            range.bits = std::max(range.bits, 1);
            continue;
        }
        int exponent = 0;
        double fraction = std::frexp(static_cast<double>(std::abs(value)), &exponent);
        int bits = 0;
        for (; fraction != 0; ++bits)
            fraction = fraction * 2 - std::floor(fraction * 2);
        range.bits = std::max(range.bits, bits);
        range.lowest = std::min(range.lowest, exponent - 1);
        range.highest = std::max(range.highest, exponent - 1);
    }
    if (range.highest >= range.lowest) range.lowest -= range.bits - 1;
    return range;
}

template <class T>
void expect_definition() {
    std::mt19937 random(1);
    for (int count = 0; count < 70; ++count) {
        std::vector<T> values;
        for (int i = 0; i < count; ++i) {
            const auto whole = static_cast<double>(random() % 4096U);
            const double value = std::ldexp(whole, static_cast<int>(random() % 40U) - 20);
            values.push_back(static_cast<T>(random() % 2U == 0 ? value : -value));
        }
        const OperandRange found = range_of<T>(values, 1);
        const OperandRange expected = by_definition(values);
        EXPECT_EQ(found.bits, expected.bits) << count;
        EXPECT_EQ(found.lowest, expected.lowest) << count;
        EXPECT_EQ(found.highest, expected.highest) << count;
        EXPECT_TRUE(found.finite);
    }
}

// Lengths around those of vectors.
TEST(OperandRange, is_what_a_loop_over_the_numbers_finds) {
    expect_definition<float>();
    expect_definition<double>();
}

TEST(OperandRange, finds_one_number_anywhere_whatever_the_threads) {
    for (const size_t place : {size_t{0}, size_t{65535}, size_t{65536}, size_t{199999}}) {
        std::vector<float> values(200000, 1);
        values[place] = 0x1.8p5F;
        for (const int threads : {1, 2}) {
            EXPECT_EQ(range_of<float>(values, threads).bits, 2);
            EXPECT_EQ(range_of<float>(values, threads).highest, 5);
        }
        values[place] = std::numeric_limits<float>::infinity();
        EXPECT_FALSE(range_of<float>(values, 2).finite);
        values[place] = std::numeric_limits<float>::denorm_min();
        EXPECT_EQ(range_of<float>(values, 2).bits, 24);
        EXPECT_EQ(range_of<float>(values, 2).lowest, -149);
    }
}

TEST(OperandRange, knows_when_products_are_exact) {
    const auto range = [](std::vector<float> values) { return range_of<float>(values, 1); };
    const OperandRange half = range({1, 0x1.ffcp0f, 65504, 0x1p-14f});
    EXPECT_EQ(half.bits, 11);
    EXPECT_EQ(half.highest, 15);
    EXPECT_LE(half.lowest, -24);
    EXPECT_TRUE(products_are_exact<float>(half, half));
    const OperandRange full = range({0x1.fffffep0f});
    EXPECT_EQ(full.bits, 24);
    EXPECT_FALSE(products_are_exact<float>(full, half));
    EXPECT_TRUE(products_are_exact<float>(full, range({0, -2, 4})));
    EXPECT_FALSE(products_are_exact<float>(range({0x1p-100f}), range({0x1p-60f})));
    EXPECT_FALSE(products_are_exact<float>(range({0x1p100f}), range({0x1p60f})));
    EXPECT_FALSE(products_are_exact<float>(range({INFINITY}), range({1})));
    EXPECT_TRUE(products_are_exact<float>(range({0}), range({0})));
}

}  // namespace
}  // namespace npuscope::backend
