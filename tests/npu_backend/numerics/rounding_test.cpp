#include "npu_backend/numerics/rounding.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/support/values.h"

namespace npuscope::backend {
namespace {

float f32(uint32_t bits) {
    return std::bit_cast<float>(bits);
}
using test::bits;

// Ascend C's rounding modes at 0.5 + 2^-12, its negative, and just above 0.5 (vendor example).
TEST(RoundMode, float16_follows_the_published_vectors) {
    struct Row {
        uint32_t input;
        RoundMode mode;
        uint16_t half;
    };
    constexpr Row kRows[] = {{0x3F001000, RoundMode::kRint, 0x3800},
                             {0x3F001000, RoundMode::kFloor, 0x3800},
                             {0x3F001000, RoundMode::kCeil, 0x3801},
                             {0x3F001000, RoundMode::kRound, 0x3801},
                             {0x3F001000, RoundMode::kTrunc, 0x3800},
                             {0x3F001000, RoundMode::kOdd, 0x3801},
                             {0xBF001000, RoundMode::kRint, 0xB800},
                             {0xBF001000, RoundMode::kFloor, 0xB801},
                             {0xBF001000, RoundMode::kCeil, 0xB800},
                             {0xBF001000, RoundMode::kRound, 0xB801},
                             {0xBF001000, RoundMode::kTrunc, 0xB800},
                             {0xBF001000, RoundMode::kOdd, 0xB801},
                             {0x3F000001, RoundMode::kOdd, 0x3801},
                             {0x3F000001, RoundMode::kRint, 0x3800}};
    for (const Row& row : kRows)
        EXPECT_EQ(to_float16(f32(row.input), row.mode).bits, row.half)
            << std::hex << row.input << " mode " << static_cast<int>(row.mode);
}

TEST(RoundMode, integers_follow_the_published_vector) {
    EXPECT_EQ(to_integral(2.5, RoundMode::kRint), 2);
    EXPECT_EQ(to_integral(2.5, RoundMode::kRound), 3);
    EXPECT_EQ(to_integral(2.5, RoundMode::kCeil), 3);
    EXPECT_EQ(to_integral(2.5, RoundMode::kFloor), 2);
    EXPECT_EQ(to_integral(2.5, RoundMode::kTrunc), 2);
    EXPECT_EQ(to_integral(2.5, RoundMode::kOdd), 3);
    EXPECT_EQ(to_integral(-2.5, RoundMode::kOdd), -3);
    EXPECT_EQ(to_integral(3.0, RoundMode::kOdd), 3);
}

TEST(Hf32, follows_the_published_vectors) {
    struct Row {
        uint32_t input, even, away, toward_zero, truncate, even13;
    };
    constexpr Row kRows[] = {
        {0x3F800800, 0x3F800000, 0x3F801000, 0x3F800000, 0x3F800000, 0x3F800000},
        {0x3F801800, 0x3F802000, 0x3F802000, 0x3F801000, 0x3F801000, 0x3F802000},
        {0x3F800801, 0x3F801000, 0x3F801000, 0x3F801000, 0x3F800000, 0x3F800000},
        {0x3F801000, 0x3F801000, 0x3F801000, 0x3F801000, 0x3F801000, 0x3F800000},
        {0x40490FDB, 0x40491000, 0x40491000, 0x40491000, 0x40490000, 0x40490000},
        {0x3EAAAAAB, 0x3EAAB000, 0x3EAAB000, 0x3EAAB000, 0x3EAAA000, 0x3EAAA000}};
    for (const Row& row : kRows) {
        const float x = f32(row.input);
        EXPECT_EQ(bits(to_hf32(x)), row.even) << std::hex << row.input;
        EXPECT_EQ(bits(to_hf32(x, 12, Hf32Tie::kAway)), row.away) << std::hex << row.input;
        EXPECT_EQ(bits(to_hf32(x, 12, Hf32Tie::kTowardZero)), row.toward_zero)
            << std::hex << row.input;
        EXPECT_EQ(bits(to_hf32(x, 12, Hf32Tie::kTruncate)), row.truncate) << std::hex << row.input;
        EXPECT_EQ(bits(to_hf32(x, 13)), row.even13) << std::hex << row.input;
    }
    EXPECT_EQ(bits(to_hf32(f32(0x7F7FFFFF))), 0x7F800000u);
    EXPECT_EQ(bits(to_hf32(f32(0xFF800000))), 0xFF800000u);
    EXPECT_NE(to_hf32(f32(0x7FC00000)), to_hf32(f32(0x7FC00000)));
}

TEST(Rounder, raises_overflow_only_for_finite_inputs) {
    Rounder<Float16> saturating(OverflowMode::kSaturate);
    EXPECT_EQ(saturating(65504.0, [] { return true; }).bits, 0x7BFF);
    EXPECT_EQ(saturating(65519.99, [] { return true; }).bits, 0x7BFF);
    EXPECT_EQ(saturating(INFINITY, [] { return false; }).bits, 0x7BFF);
    EXPECT_EQ(saturating(-INFINITY, [] { return false; }).bits, 0xFBFF);
    EXPECT_EQ(saturating(NAN, [] { return true; }).bits, 0x0000);
    EXPECT_FALSE(saturating.status().overflow());
    EXPECT_EQ(saturating(65520.0, [] { return true; }).bits, 0x7BFF);
    EXPECT_TRUE(saturating.status().overflow());

    Rounder<Float16> ieee(OverflowMode::kInfNan);
    EXPECT_EQ(ieee(-65520.0, [] { return true; }).bits, 0xFC00);
    EXPECT_TRUE(ieee.status().overflow());
}

TEST(Rounder, bfloat16_and_float32_follow_their_rows_of_the_table) {
    Rounder<BFloat16> half(OverflowMode::kSaturate);
    EXPECT_EQ(half(std::numeric_limits<float>::max(), [] { return true; }).bits, 0x7F7F);
    EXPECT_TRUE(half.status().overflow());
    // float32 ignores saturation.
    Rounder<float> single(OverflowMode::kSaturate);
    EXPECT_EQ(single(1e39, [] { return true; }), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(single.status().overflow());
}

TEST(Rounder, raises_underflow_when_a_nonzero_value_becomes_zero) {
    Rounder<Float16> round(OverflowMode::kInfNan);
    (void)round(0.0, [] { return true; });
    (void)round(0x1p-24, [] { return true; });
    EXPECT_EQ(round.status().bits, 0u);
    (void)round(0x1p-25, [] { return true; });
    EXPECT_EQ(round.status().bits, FloatStatus::kUnderflow);
}

}  // namespace
}  // namespace npuscope::backend
