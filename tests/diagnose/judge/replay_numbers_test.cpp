#include "diagnose/judge/replay_numbers.h"

#include <gtest/gtest.h>

#include "diagnose/judge/number_format.h"

namespace npuscope::diagnose {
namespace {

const Tensor kGradient = Tensor::from<double>({4}, {0.25, -1, 3, 0});

TEST(ReplayNumbers, tells_the_scale_of_a_loss) {
    EXPECT_EQ(loss_scale(times(kGradient, 1024), kGradient, 1e-6), 1024);
    // No power of two, and none that is large.
    EXPECT_EQ(loss_scale(times(kGradient, 1000), kGradient, 1e-6), 1);
    EXPECT_EQ(loss_scale(times(kGradient, 64), kGradient, 1e-6), 1);
}

TEST(ReplayNumbers, tells_no_scale_of_whole_numbers) {
    const Tensor places = Tensor::from<int64_t>({4}, {256, -1024, 3072, 0});
    EXPECT_EQ(loss_scale(places, kGradient, 1e-6), 1);
    EXPECT_EQ(loss_scale(kGradient, places, 1e-6), 1);
}

TEST(ReplayNumbers, take_the_roundings_of_one_op_for_no_noise) {
    // 16 units of bfloat16, as one op may leave.
    EXPECT_FALSE(is_noise(0.0625, kBFloat16.unit()));
    EXPECT_TRUE(is_noise(0.3, kBFloat16.unit()));
    // In more bits so much is what many ops leave; quantised numbers leave any share of the norm.
    EXPECT_TRUE(is_noise(0.0625, kFloat16.unit()));
    EXPECT_TRUE(is_noise(0.0625, 2 * kBFloat16.unit()));
}

TEST(ReplayNumbers, prove_little_where_they_are_farther_off_than_mostly) {
    EXPECT_FALSE(tells_little(0.002, 0.0625, kBFloat16.unit()));
    EXPECT_TRUE(tells_little(0.047, 0.0739, kBFloat16.unit()));
    // Ops without partner may have been computed in bfloat16, and were not.
    EXPECT_TRUE(tells_little(0.002, 0.18, kFloat32.unit()));
    EXPECT_FALSE(tells_little(8.8e-8, 0.18, kFloat32.unit()));
    EXPECT_FALSE(tells_little(0.04, 0.045, kFloat16.unit()));
}

}  // namespace
}  // namespace npuscope::diagnose
