#include <cmath>

#include <gtest/gtest.h>

#include "tests/overflow/detectors/subject.h"

namespace npuscope::overflow {
namespace {

using test::finds;
using test::half_subject;
using test::measure;
using test::subject;

TEST(AllZeroDetector, finds_a_tensor_of_zeros_of_either_sign) {
    EXPECT_TRUE(finds("all_zero", half_subject({0.0F, -0.0F})));
    EXPECT_EQ(measure("all_zero", half_subject({0.0F, 0x1p-24F})), 0.0);
    EXPECT_FALSE(finds("all_zero", half_subject({NAN})));
    EXPECT_FALSE(finds("all_zero", half_subject({INFINITY, 0})));
}

TEST(AllZeroDetector, an_empty_tensor_and_integers_are_not_judged) {
    EXPECT_EQ(measure("all_zero", subject<float>({})), std::nullopt);
    EXPECT_EQ(measure("all_zero", subject<int32_t>({0, 0})), std::nullopt);
}

}  // namespace
}  // namespace npuscope::overflow
