#include <cmath>

#include <gtest/gtest.h>

#include "tests/overflow/detectors/subject.h"

namespace npuscope::overflow {
namespace {

using test::finds;
using test::half_subject;
using test::measure;
using test::subject;

TEST(InfDetector, counts_infinities_of_either_sign) {
    const Subject some = half_subject({INFINITY, -INFINITY, 65504, NAN});
    EXPECT_EQ(measure("inf", some), 2.0);
    EXPECT_TRUE(finds("inf", some));
    EXPECT_TRUE(is_damaged(half_subject({INFINITY})));
}

TEST(InfDetector, finds_nothing_in_finite_values) {
    EXPECT_EQ(measure("inf", half_subject({65504, 0})), 0.0);
    EXPECT_FALSE(finds("inf", half_subject({65504, 0})));
    EXPECT_EQ(measure("inf", subject<int32_t>({0x7f800000})), std::nullopt);
}

}  // namespace
}  // namespace npuscope::overflow
