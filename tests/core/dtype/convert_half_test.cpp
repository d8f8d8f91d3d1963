#include "core/dtype/convert_half.h"

#include <bit>
#include <cmath>
#include <hwy/targets.h>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "core/dtype/dtype.h"

namespace npuscope {
namespace {

/// Runs the body with each vector instruction set that this CPU has.
template <class Body>
void for_each_target(const Body& body) {
    int targets = 0;
    for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1, ++targets) {
        hwy::SetSupportedTargetsForTest(rest & -rest);
        SCOPED_TRACE(hwy::TargetName(rest & -rest));
        body();
        hwy::SetSupportedTargetsForTest(0);
    }
    EXPECT_GE(targets, 2);
}

TEST(ConvertHalf, widens_all_65536_patterns_as_the_scalar_functions) {
    std::vector<Float16> halves(65536);
    std::vector<BFloat16> brains(65536);
    for (uint32_t i = 0; i < 65536; ++i) {
        halves[i].bits = static_cast<uint16_t>(i);
        brains[i].bits = static_cast<uint16_t>(i);
    }
    for_each_target([&] {
        std::vector<float> floats(65536);
        convert_to_float(halves.data(), floats.data(), floats.size());
        for (uint32_t i = 0; i < 65536; ++i)
            ASSERT_EQ(std::bit_cast<uint32_t>(floats[i]),
                      std::bit_cast<uint32_t>(to_float(halves[i])))
                << i;
        convert_to_float(brains.data(), floats.data(), floats.size());
        for (uint32_t i = 0; i < 65536; ++i)
            ASSERT_EQ(std::bit_cast<uint32_t>(floats[i]), i << 16);
    });
}

TEST(ConvertHalf, narrows_every_exponent_and_tie_as_the_scalar_functions) {
    // Each sign and exponent with low bits around the rounding boundaries of both formats.
    std::vector<float> values;
    std::mt19937 random(11);
    for (uint32_t top = 0; top < 512; ++top) {
        for (const uint32_t low : {0u,
                                   1u,
                                   0xfffu,
                                   0x1000u,
                                   0x1001u,
                                   0x1fffu,
                                   0x2000u,
                                   0x3000u,
                                   0x7fffu,
                                   0x8000u,
                                   0x8001u,
                                   0x18000u,
                                   0x7fe000u,
                                   0x7ff000u,
                                   0x7fffffu})
            values.push_back(std::bit_cast<float>((top << 23) | low));
        for (int i = 0; i < 40; ++i)
            values.push_back(
                std::bit_cast<float>((top << 23) | static_cast<uint32_t>(random() & 0x7fffffu)));
    }
    values.push_back(65519.996f);
    values.push_back(65520.0f);
    values.push_back(0x1p-25f);
    for_each_target([&] {
        std::vector<Float16> halves(values.size());
        std::vector<BFloat16> brains(values.size());
        convert_to_float16(values.data(), halves.data(), values.size());
        convert_to_bfloat16(values.data(), brains.data(), values.size());
        for (size_t i = 0; i < values.size(); ++i) {
            ASSERT_EQ(halves[i].bits, to_float16(values[i]).bits) << std::hexfloat << values[i];
            ASSERT_EQ(brains[i].bits, to_bfloat16(values[i]).bits) << std::hexfloat << values[i];
        }
    });
}

TEST(ConvertHalf, takes_any_count) {
    for (size_t count = 0; count < 40; ++count) {
        std::vector<float> values(count + 1, 1.5f);
        std::vector<Float16> halves(count + 1);
        convert_to_float16(values.data(), halves.data(), count);
        for (size_t i = 0; i < count; ++i)
            EXPECT_EQ(halves[i].bits, 0x3e00);
        EXPECT_EQ(halves[count].bits, 0) << "beyond the end";
    }
}

}  // namespace
}  // namespace npuscope
