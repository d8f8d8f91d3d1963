#include "diagnose/judge/moved_elements.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

/// The largest error over what is allowed of elements of float16.
double ratio_of(const std::vector<double>& exact,
                std::vector<float> recorded,
                const std::string& op = "_to_copy") {
    const RecordedResult result{.argument = "result",
                                .name = "result",
                                .elements = floats(std::move(recorded)).cast(DType::kFloat16)};
    const AllowedErrors limits = allowed_of_moves(*backend::find_op(op), result, exact, kFloat16);
    return measure_error(result, exact, kFloat16, limits).ratio;
}

constexpr float kUnitAtOne = 0x1p-10F;  ///< between float16 numbers from 1 to 2

TEST(MovedElements, are_what_they_were) {
    EXPECT_EQ(ratio_of({1, 0, -3}, {1, 0, -3}), 0);
    EXPECT_GT(ratio_of({1, 0, -3}, {1, 0, -3 + 2 * kUnitAtOne}), 1);
    // However small: memory that was not cleared.
    EXPECT_GT(ratio_of({1, 0, -3}, {1, 0x1p-24F, -3}), 1);
}

// IEEE 754, 4.3.1: to nearest, off by half a unit at most.
TEST(MovedElements, are_rounded_to_nearest) {
    const double between = 1 + 0.75 * kUnitAtOne;
    EXPECT_LE(ratio_of({between, 1 + 0.25 * kUnitAtOne}, {1 + kUnitAtOne, 1}), 1);
    EXPECT_GT(ratio_of({between, between}, {1 + kUnitAtOne, 1}), 1);
}

TEST(MovedElements, may_all_be_cut_off) {
    const double between = 1 + 0.75 * kUnitAtOne;
    EXPECT_LE(ratio_of({between, -between}, {1, -1}), 1);
}

TEST(MovedElements, may_lose_subnormal_numbers_in_a_cast) {
    EXPECT_LE(ratio_of({0x1p-20}, {0}), 1);
    EXPECT_GT(ratio_of({0x1p-20}, {0}, "cat"), 1);
    EXPECT_GT(ratio_of({0x1p-13}, {0}), 1);
}

TEST(MovedElements, are_those_of_casts_and_copies) {
    EXPECT_TRUE(only_moves(*backend::find_op("clone")));
    EXPECT_TRUE(only_moves(*backend::find_op("_to_copy")));
    EXPECT_FALSE(only_moves(*backend::find_op("add_Tensor")));
}

}  // namespace
}  // namespace npuscope::diagnose
