#include "compare/growth/hides_alike.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "tests/compare/dataflow/hand_made.h"

namespace npuscope::compare {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

bool hide_alike(const std::vector<float>& target, const std::vector<float>& golden) {
    const auto side = [](const std::vector<float>& values) {
        return hand_made(
            {{"triu",
              {},
              {{"result", Tensor::from<float>({static_cast<int64_t>(values.size())}, values)}}}});
    };
    const Source mine = side(target);
    const Source theirs = side(golden);
    TensorResult result;
    result.target = result.golden = "/triu/1/output/result";
    return hides_alike({&mine.ops[0], &theirs.ops[0]}, result);
}

TEST(HidesAlike, holds_of_two_numbers_in_the_same_places) {
    EXPECT_TRUE(hide_alike({0, -kInfinity, -kInfinity, 0}, {0, 1, 1, 0}));
    EXPECT_TRUE(hide_alike({1, 0, 0, 1}, {0, 1, 1, 0}));
}

TEST(HidesAlike, does_not_hold_of_other_places_or_more_numbers) {
    EXPECT_FALSE(hide_alike({0, -kInfinity, -kInfinity, -kInfinity}, {0, 1, 1, 0}));
    EXPECT_FALSE(hide_alike({0, -kInfinity, 2, 0}, {0, 1, 1, 0}));
    EXPECT_FALSE(hide_alike({0, 0, 0, 0}, {0, 1, 1, 0}));
    EXPECT_FALSE(hide_alike({0, 0}, {1, 1}));
    EXPECT_FALSE(hide_alike({0, NAN, 0}, {0, 1, 0}));
}

}  // namespace
}  // namespace npuscope::compare
