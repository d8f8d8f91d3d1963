#include <cmath>

#include <gtest/gtest.h>

#include "tests/overflow/detectors/subject.h"

namespace npuscope::overflow {
namespace {

using test::finds;
using test::half_subject;
using test::measure;
using test::subject;

TEST(SubnormalDetector, counts_nonzero_values_below_the_smallest_normal) {
    const Subject some = half_subject({0x1p-24F, -0x1p-15F, 0x1p-14F, 0.0F, -0.0F, 1.0F});
    EXPECT_EQ(measure("subnormal", some), 2.0);
    EXPECT_TRUE(finds("subnormal", some));
    EXPECT_FALSE(is_damaged(some));
}

TEST(SubnormalDetector, each_dtype_has_its_own_smallest_normal) {
    EXPECT_EQ(measure("subnormal", subject<float>({0x1p-15F, 0x1p-127F})), 1.0);
    EXPECT_EQ(measure("subnormal", subject<double>({0x1p-127, 0x1p-1023})), 1.0);
    EXPECT_FALSE(finds("subnormal", subject<float>({0x1p-15F})));
}

}  // namespace
}  // namespace npuscope::overflow
