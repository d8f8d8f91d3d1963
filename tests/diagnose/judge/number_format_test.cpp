#include "diagnose/judge/number_format.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/dtype/float16.h"

namespace npuscope::diagnose {
namespace {

// IEEE 754-2019, table 3.5, and the format of bfloat16.
TEST(NumberFormat, has_the_largest_numbers_of_the_standard) {
    EXPECT_EQ(kFloat16.largest(), 65504.0);
    EXPECT_EQ(kFloat32.largest(), 0x1.fffffep127);
    EXPECT_EQ(kBFloat16.largest(), 0x1.fep127);
}

TEST(NumberFormat, knows_half_of_the_distance_between_neighbours) {
    EXPECT_EQ(kFloat16.half_unit(1.0), 0x1p-11);
    EXPECT_EQ(kFloat16.half_unit(-1.999), 0x1p-11);
    EXPECT_EQ(kFloat16.half_unit(2.0), 0x1p-10);
    EXPECT_EQ(kFloat16.half_unit(0), 0x1p-25);  // subnormals are 2^-24 apart
    EXPECT_EQ(kFloat16.half_unit(0x1p-20), 0x1p-25);
    EXPECT_EQ(kFloat32.half_unit(1.0), 0x1p-24);
}

// Every float16 pattern is its own rounding; between two neighbours the even one wins.
TEST(NumberFormat, rounds_as_the_conversion_to_float16_does) {
    for (uint32_t pattern = 0; pattern < 0x7c00; ++pattern) {
        const auto value = static_cast<double>(to_float(Float16{static_cast<uint16_t>(pattern)}));
        ASSERT_EQ(kFloat16.rounded(value), value) << pattern;
        const auto next =
            static_cast<double>(to_float(Float16{static_cast<uint16_t>(pattern + 1)}));
        if (pattern + 1 == 0x7c00) continue;
        const double middle = (value + next) / 2;
        ASSERT_EQ(kFloat16.rounded(middle), (pattern & 1U) == 0 ? value : next) << pattern;
        ASSERT_EQ(kFloat16.rounded_away(-middle), -next) << pattern;
        ASSERT_EQ(kFloat16.truncated(middle), value) << pattern;
    }
    EXPECT_EQ(kFloat16.rounded(65519.99), 65504.0);
    EXPECT_TRUE(std::isinf(kFloat16.rounded(65520.0)));
}

// spec of the chips, test vectors of HF32: 3F800801 is 3F801000 to nearest, 3F800000 truncated.
TEST(NumberFormat, rounds_to_twelve_bits_as_the_chips_vectors_say) {
    const double value = 0x1.001002p0;
    EXPECT_EQ(kHf32.rounded(value), 0x1.002p0);
    EXPECT_EQ(kHf32.truncated(value), 1.0);
    EXPECT_EQ(kHf32.rounded(0x1.001p0), 1.0);  // 3F800800, a tie: to even
    EXPECT_EQ(kHf32.rounded_away(0x1.001p0), 0x1.002p0);
}

}  // namespace
}  // namespace npuscope::diagnose
