#include "npu_backend/chips/device.h"

#include <string>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope {
namespace {

TEST(Chips, differ_in_overflow_mode_and_cube) {
    EXPECT_EQ(chip("910A").overflow_mode, OverflowMode::kSaturate);
    EXPECT_FALSE(chip("910A").cube_takes_float32());
    EXPECT_EQ(chip("910B").overflow_mode, OverflowMode::kInfNan);
    EXPECT_TRUE(chip("910B").cube_takes_float32());
    EXPECT_TRUE(chip("910B").conv_hf32);
    EXPECT_FALSE(chip("910B").matmul_hf32);
}

TEST(Chips, rejects_an_unknown_chip_with_the_list) {
    std::string known;
    for (const Chip& row : all_chips())
        known += (known.empty() ? "" : ", ") + std::string(row.name);
    try {
        (void)chip("V100");
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage);
        EXPECT_NE(std::string(error.what()).find(known), std::string::npos);
    }
}

TEST(Device, describes_itself) {
    EXPECT_EQ(Device::npu(chip("910A")).description(), "npu 910A");
    EXPECT_EQ(Device::reference64().description(), "cpu fp64");
    EXPECT_EQ(Device::reference32().description(), "cpu fp32");
}

}  // namespace
}  // namespace npuscope
