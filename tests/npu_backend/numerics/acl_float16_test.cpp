#include "npu_backend/numerics/acl_float16.h"

#include <bit>

#include <gtest/gtest.h>

namespace npuscope::backend {
namespace {

uint16_t half_of(uint32_t bits) {
    return acl_float_to_float16(std::bit_cast<float>(bits)).bits;
}
uint32_t single_of(uint16_t bits) {
    return std::bit_cast<uint32_t>(acl_float16_to_float(Float16{bits}));
}

// Published vectors of the host conversions.
TEST(AclFloat16, saturates_always_and_turns_nan_into_the_largest_value) {
    EXPECT_EQ(half_of(0x7FC00000), 0x7BFF);
    EXPECT_EQ(half_of(0x7F800000), 0x7BFF);
    EXPECT_EQ(half_of(0xFF800000), 0xFBFF);
    EXPECT_EQ(half_of(0x477FF000), 0x7BFF);
    EXPECT_EQ(half_of(0x3F801000), 0x3C00);
    // Between half and one and a half of the smallest subnormal.
    EXPECT_EQ(half_of(0x33000001), 0x0001);
}

TEST(AclFloat16, decodes_inf_and_nan_as_ordinary_numbers) {
    EXPECT_EQ(single_of(0x7C00), 0x47800000u);
    EXPECT_EQ(single_of(0xFC00), 0xC7800000u);
    EXPECT_EQ(single_of(0x7E00), 0x47C00000u);
    EXPECT_EQ(single_of(0x7BFF), 0x477FE000u);
    EXPECT_EQ(single_of(0x0001), 0x33800000u);
}

}  // namespace
}  // namespace npuscope::backend
