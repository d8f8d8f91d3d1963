#include "core/dtype/float16.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

namespace npuscope {
namespace {

struct Vector {
    uint32_t single;
    uint16_t half;
};

// Published bit patterns of float32 to float16, round to nearest even (IEEE 754, checked with
// NumPy).
TEST(Float16, rounds_to_nearest_even_as_published) {
    constexpr Vector kVectors[] = {{0x3F801000, 0x3C00},
                                   {0x3F803000, 0x3C02},
                                   {0x3F801001, 0x3C01},
                                   {0x477FE000, 0x7BFF},
                                   {0x477FEFFF, 0x7BFF},
                                   {0x477FF000, 0x7C00},
                                   {0x47800000, 0x7C00},
                                   {0x7F800000, 0x7C00},
                                   {0xFF800000, 0xFC00},
                                   {0x33000000, 0x0000},
                                   {0x33000001, 0x0001},
                                   {0x33C00000, 0x0002},
                                   {0x387FE000, 0x0400},
                                   {0xB3000000, 0x8000},
                                   {0x80000000, 0x8000}};
    for (const Vector& v : kVectors)
        EXPECT_EQ(to_float16(std::bit_cast<float>(v.single)).bits, v.half) << std::hex << v.single;
}

TEST(Float16, keeps_nan) {
    EXPECT_TRUE(std::isnan(to_float(to_float16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Float16, every_bit_pattern_survives_the_way_through_float) {
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
        const Float16 value{static_cast<uint16_t>(bits)};
        if (std::isnan(to_float(value))) continue;
        ASSERT_EQ(to_float16(to_float(value)).bits, bits);
    }
}

TEST(Float16, a_double_is_rounded_once) {
    // 1 + 2^-11 + 2^-40 lies above the tie; through float32 it would become the tie and go down to
    // even.
    EXPECT_EQ(to_float16(1.0 + 0x1p-11 + 0x1p-40).bits, 0x3C01);
    EXPECT_EQ(to_float16(1.0 + 0x1p-11).bits, 0x3C00);
    EXPECT_EQ(to_float16(-(1.0 + 0x1p-11 + 0x1p-40)).bits, 0xBC01);
    EXPECT_EQ(to_float16(65519.999999999).bits, 0x7BFF);
}

TEST(BFloat16, rounds_to_nearest_even_as_published) {
    constexpr Vector kVectors[] = {{0x3F808000, 0x3F80},
                                   {0x3F818000, 0x3F82},
                                   {0x3F808001, 0x3F81},
                                   {0x7F7FFFFF, 0x7F80},
                                   {0x7F7F7FFF, 0x7F7F}};
    for (const Vector& v : kVectors)
        EXPECT_EQ(to_bfloat16(std::bit_cast<float>(v.single)).bits, v.half) << std::hex << v.single;
}

}  // namespace
}  // namespace npuscope
