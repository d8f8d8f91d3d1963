#include "diagnose/judge/replay_numbers.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace npuscope::diagnose
