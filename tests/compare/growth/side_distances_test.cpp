#include "compare/growth/side_distances.h"

#include <gtest/gtest.h>

namespace npuscope::compare {
namespace {

/// Of 100 elements: `masked` of them are the mask's number on both sides, the others up to `most`.
TensorResult scores(double mask, int masked, double most) {
    TensorResult tensor;
    Sums& sums = tensor.sums;
    sums.numel = sums.pairs = 100;
    sums.min_t = sums.min_g = mask;
    sums.max_t = sums.max_g = most;
    sums.max_abs_t = sums.max_abs_g = -mask;
    sums.tt = sums.gg = masked * mask * mask;
    return tensor;
}

TEST(IsMasked, tells_scores_beside_the_numbers_that_frameworks_mask_with) {
    for (const double mask : {-1e4, -65504.0, -1e9, -3.4028234663852886e38})
        EXPECT_TRUE(is_masked(scores(mask, 45, 8))) << mask;
}

TEST(IsMasked, takes_no_lone_outlier_for_a_mask_nor_what_is_about_as_large) {
    EXPECT_FALSE(is_masked(scores(-1e9, 1, 8)));
    EXPECT_FALSE(is_masked(scores(-1e9, 45, 1e8)));
    EXPECT_FALSE(is_masked(scores(-100, 45, 0.1)));
}

TEST(IsMasked, takes_nothing_for_a_mask_that_one_side_alone_has) {
    TensorResult tensor = scores(-1e9, 45, 8);
    tensor.sums.min_t = -20;
    EXPECT_FALSE(is_masked(tensor));
}

TEST(DistanceOf, is_of_the_goldens_norm_largest_element_and_scale) {
    TensorResult tensor;
    // (3, 4) against (3, 5).
    tensor.sums.dd = 1;
    tensor.sums.gg = 34;
    tensor.sums.tg = 29;
    tensor.sums.max_d = 1;
    tensor.sums.max_abs_g = 5;
    const Distance found = distance_of(tensor);
    EXPECT_DOUBLE_EQ(found.norm * found.norm, 1.0 / 34);
    EXPECT_DOUBLE_EQ(found.peak, 0.2);
    EXPECT_DOUBLE_EQ(found.scale, 5.0 / 34);
}

}  // namespace
}  // namespace npuscope::compare
