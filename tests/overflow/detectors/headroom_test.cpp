#include <cmath>

#include <gtest/gtest.h>

#include "tests/overflow/detectors/subject.h"

namespace npuscope::overflow {
namespace {

using test::finds;
using test::half_subject;
using test::measure;
using test::subject;

TEST(HeadroomDetector, measures_binades_below_the_largest_finite_value) {
    EXPECT_NEAR(*measure("headroom", half_subject({1, -32752, 0})), 1.0, 1e-12);
    EXPECT_NEAR(*measure("headroom", half_subject({16376})), 2.0, 1e-12);
    EXPECT_EQ(measure("headroom", half_subject({65504})), 0.0);
}

TEST(HeadroomDetector, a_float32_computed_in_float16_has_the_room_of_float16) {
    EXPECT_NEAR(
        *measure("headroom", subject<float>({32752.0F}, ComputeType::kFloat16)), 1.0, 1e-12);
    EXPECT_NEAR(*measure("headroom", subject<float>({1.0F})), 128.0, 1e-6);
}

TEST(HeadroomDetector, is_a_latent_overflow_within_two_binades) {
    EXPECT_TRUE(finds("headroom", half_subject({16376})));
    EXPECT_FALSE(finds("headroom", half_subject({16368})));
    Subject wider = half_subject({16368});
    wider.latent_binades = 3;
    EXPECT_TRUE(finds("headroom", wider));
}

TEST(HeadroomDetector, what_overflowed_already_is_not_latent) {
    EXPECT_FALSE(finds("headroom", half_subject({INFINITY, 60000})));
    EXPECT_FALSE(finds("headroom", half_subject({65504})));
    EXPECT_FALSE(is_damaged(half_subject({60000})));
}

TEST(HeadroomDetector, has_no_value_without_a_finite_nonzero_element) {
    EXPECT_EQ(measure("headroom", half_subject({0, INFINITY})), std::nullopt);
}

}  // namespace
}  // namespace npuscope::overflow
