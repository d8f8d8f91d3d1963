#include "core/dtype/extremes.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace npuscope {
namespace {

// The numbers of PyTorch's finfo(dtype).min.
constexpr double kLowestHalf = -65504;
constexpr double kLowestBfloat = -3.3895313892515355e38;
constexpr double kLowestFloat = -3.4028234663852886e38;

TEST(Extremes, are_those_of_any_two_dtypes) {
    const double lowest = std::numeric_limits<double>::lowest();
    for (const double one : {kLowestHalf, kLowestBfloat, kLowestFloat, lowest})
        for (const double other : {kLowestHalf, kLowestBfloat, kLowestFloat, lowest}) {
            EXPECT_TRUE(are_extremes(one, other)) << one << " " << other;
            EXPECT_TRUE(are_extremes(-one, -other));
            EXPECT_FALSE(are_extremes(one, -other));
        }
    // As six digits tell it, and as float32 holds it.
    EXPECT_TRUE(are_extremes(-3.40282347e38, kLowestHalf));
}

TEST(Extremes, are_no_other_numbers) {
    for (const double other : {-65500.0, -1e4, -1e9, 0.0, -3.3e38})
        EXPECT_FALSE(are_extremes(other, kLowestFloat)) << other;
    EXPECT_FALSE(are_extremes(std::nan(""), kLowestFloat));
    EXPECT_FALSE(are_extremes(-std::numeric_limits<double>::infinity(), kLowestFloat));
}

TEST(Extremes, may_have_small_numbers_added) {
    const auto are_near = [](double target, double golden) {
        return are_near_extremes(target, DType::kFloat16, golden, DType::kFloat32);
    };
    EXPECT_TRUE(are_near(kLowestHalf + 32, kLowestFloat));
    EXPECT_TRUE(are_near(-std::numeric_limits<double>::infinity(), kLowestFloat));
    EXPECT_FALSE(are_near(-60000, kLowestFloat));
    EXPECT_FALSE(are_near(kLowestHalf, -1e9));
    EXPECT_FALSE(are_near(-kLowestHalf, kLowestFloat));
    EXPECT_FALSE(are_near(std::nan(""), kLowestFloat));
}

}  // namespace
}  // namespace npuscope
