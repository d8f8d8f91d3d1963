#include "diagnose/judge/replay_distance.h"

#include <limits>
#include <random>

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

Tensor noise(const Shape& shape, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    Tensor tensor(DType::kFloat64, shape);
    for (double& value : tensor.mutable_as<double>())
        value = normal(random);
    return tensor;
}

TEST(ReplayDistance, tells_in_which_order_of_the_axes_a_tensor_lies) {
    const Tensor from = noise({12, 32}, 1);
    Tensor shown(DType::kFloat64, {32, 12});
    for (size_t i = 0; i < 12; ++i)
        for (size_t j = 0; j < 32; ++j)
            shown.mutable_as<double>()[j * 12 + i] = 1.001 * from.as<double>()[i * 32 + j];
    const auto view = arrangement_within(from, shown, 0.002);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->shape, shown.shape());
    EXPECT_FALSE(arrangement_within(from, shown, 0.0005));
    EXPECT_FALSE(arrangement_within(noise({12, 32}, 2), shown, 0.5));
    // What both mask is no difference.
    Tensor masked = from;
    Tensor otherwise = from;
    masked.mutable_as<double>()[3] = -1e9;
    otherwise.mutable_as<double>()[3] = -std::numeric_limits<double>::infinity();
    EXPECT_TRUE(arrangement_within(masked, otherwise, 1e-9));
}

}  // namespace
}  // namespace npuscope::diagnose
