#include "diagnose/judge/furthest_off.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

/// 2048 elements of 4 beside as many of 4, but for those that a test changes.
struct Pair {
    Tensor recorded = four();
    Tensor expected = four();

    static Tensor four() {
        Tensor tensor(DType::kFloat32, {2048});
        for (float& each : tensor.mutable_as<float>())
            each = 4;
        return tensor;
    }
    void set(size_t place, float value, float wanted) {
        recorded.mutable_as<float>()[place] = value;
        expected.mutable_as<float>()[place] = wanted;
    }
};

/// In float32, and beside float64 elements.
void expect_first(const Pair& pair, const std::vector<int64_t>& places) {
    const Tensor wide = pair.expected.cast(DType::kFloat64);
    for (const auto& found : {furthest_off(pair.recorded, pair.expected, 64),
                              furthest_off(pair.recorded, wide, 64),
                              furthest_off(pair.recorded, wide.as<double>(), 64)}) {
        EXPECT_EQ(found.size(), 64u);
        EXPECT_EQ(
            std::vector(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(places.size())),
            places);
    }
}

TEST(FurthestOff, begins_with_the_largest_error_and_the_largest_share) {
    Pair pair;
    pair.set(700, 5, 4);              // off by 1, a quarter
    pair.set(1500, 0.125F, 0.0625F);  // off by 0.0625, the whole
    pair.set(1990, 8, 7.5F);          // off by 0.5, a fifteenth
    expect_first(pair, {700, 1500, 1990, 700});
}

TEST(FurthestOff, takes_one_place_of_each_stretch) {
    Pair pair;
    pair.set(64, 6, 4);
    pair.set(65, 7, 4);
    pair.set(130, 5, 4);
    expect_first(pair, {65, 65, 130, 130});
}

TEST(FurthestOff, counts_an_infinity_and_no_nan) {
    Pair pair;
    pair.set(3, std::numeric_limits<float>::quiet_NaN(), 4);
    pair.set(900, std::numeric_limits<float>::infinity(), 4);
    expect_first(pair, {900, 900});
}

TEST(FurthestOff, widens_16_bits) {
    Pair pair;
    pair.set(1023, 4.5F, 4);
    EXPECT_EQ(furthest_off(pair.recorded.cast(DType::kFloat16), pair.expected, 64).front(), 1023);
}

}  // namespace
}  // namespace npuscope::diagnose
