#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/overflow/detectors/subject.h"

namespace npuscope::overflow {
namespace {

using test::finds;
using test::half_subject;
using test::measure;
using test::subject;

TEST(SaturatedDetector, counts_float16_at_65504) {
    const Subject some = half_subject({65504, -65504, 65472, INFINITY});
    EXPECT_EQ(measure("saturated", some), 2.0);
    EXPECT_TRUE(finds("saturated", some));
    EXPECT_TRUE(is_damaged(half_subject({-65504})));
}

TEST(SaturatedDetector, float32_counts_at_65504_only_when_computed_in_float16) {
    EXPECT_EQ(measure("saturated", subject<float>({65504.0F}, ComputeType::kFloat16)), 1.0);
    EXPECT_EQ(measure("saturated", subject<float>({65504.0F}, ComputeType::kFloat32)),
              std::nullopt);
    EXPECT_EQ(measure("saturated", subject<float>({65504.0F})), std::nullopt);
}

TEST(SaturatedDetector, the_largest_float32_is_a_mask_and_no_saturation) {
    EXPECT_FALSE(finds("saturated", subject<float>({-std::numeric_limits<float>::max()})));
}

}  // namespace
}  // namespace npuscope::overflow
