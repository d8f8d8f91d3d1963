#include "diagnose/judge/replay_distance.h"

#include <gtest/gtest.h>

#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {
namespace {

/// Where maxima stand, `turned` of them elsewhere.
Tensor places(int64_t count, int64_t turned) {
    Tensor tensor(DType::kInt64, {count});
    for (int64_t i = 0; i < count; ++i)
        tensor.mutable_as<int64_t>()[static_cast<size_t>(i)] = i + (i < turned ? 1 : 0);
    return tensor;
}

TEST(ReplayDistance, is_the_share_of_whole_numbers_that_are_others) {
    EXPECT_EQ(share_of_others(places(200, 5), places(200, 0)), 0.025);
}

TEST(ReplayDistance, allows_choices_that_disturbed_numbers_turn) {
    const double unit = kFloat16.unit();
    EXPECT_NEAR(share_turned(places(200, 5), places(200, 0), unit), 4 * 0.025 + 2.0 / 200, 1e-12);
    EXPECT_EQ(share_turned(places(200, 0), places(200, 0), unit), 2.0 / 200);
    // Of few, or in float32, none is turned by chance.
    EXPECT_EQ(share_turned(places(20, 0), places(20, 0), unit), 0);
    EXPECT_EQ(share_turned(places(200, 0), places(200, 0), kFloat32.unit()), 0);
}

}  // namespace
}  // namespace npuscope::diagnose
