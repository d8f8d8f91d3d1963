#include "diagnose/judge/flushed.h"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/values.h"

namespace npuscope::diagnose {
namespace {

/// What is allowed of exact values 2^-15 and 2^-20, which float16 takes for subnormal numbers,
/// where these were recorded among so many ones.
std::vector<double> allowed(std::vector<float> recorded,
                            const NumberFormat& steps,
                            size_t ones = 6) {
    std::vector<double> exact = {0x1p-15, -0x1p-20};
    recorded.resize(2 + ones, 1);
    exact.resize(2 + ones, 1);
    AllowedErrors limits(exact.size(), 0x1p-30);
    const RecordedResult result{"result", "result", test::floats(recorded)};
    allow_flushed(steps, result, exact, limits);
    return {limits[0], limits[1]};
}

TEST(Flushed, are_subnormal_numbers_of_float16_where_the_result_has_none) {
    const std::vector<double> nothing(2, 0x1p-30);
    EXPECT_EQ(allowed({0, 0}, kFloat16), (std::vector<double>{0x1p-15, 0x1p-20}));
    EXPECT_EQ(allowed({0x1p-15F, 0}, kFloat16), nothing);
    EXPECT_EQ(allowed({0, 0}, kFloat16, 5), nothing) << "too few";
    EXPECT_EQ(allowed({0, 0}, kFloat32), nothing);
    EXPECT_EQ(allowed({0, 0}, kBFloat16), nothing);
}

}  // namespace
}  // namespace npuscope::diagnose
