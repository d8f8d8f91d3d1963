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
    const OpRun run{.op = backend::find_op(op), .arguments = {}, .wide = {}, .results = {}};
    const AllowedErrors limits = allowed_of_moves(run, result, exact, kFloat16);
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

// 16-bit numbers of a dtype that the recorder stores as float32.
TEST(MovedElements, may_be_a_cast_to_bfloat16_of_anything_but_float16) {
    const RecordedResult result{
        .argument = "result", .name = "result", .elements = floats({0x1.5p+8F})};
    const std::vector<double> exact{0x1.508p+8};
    const auto ratio_of_cast = [&](DType self) {
        const OpRun run{.op = backend::find_op("_to_copy"),
                        .arguments = {{"self", floats({0x1.508p+8F}).cast(self)}},
                        .wide = {},
                        .results = {}};
        return measure_error(
                   result, exact, kFloat16, allowed_of_moves(run, result, exact, kFloat16))
            .ratio;
    };
    EXPECT_LE(ratio_of_cast(DType::kFloat32), 1);
    EXPECT_GT(ratio_of_cast(DType::kFloat16), 1);
}

TEST(MovedElements, are_those_of_casts_and_copies) {
    EXPECT_TRUE(only_moves(*backend::find_op("clone")));
    EXPECT_TRUE(only_moves(*backend::find_op("_to_copy")));
    EXPECT_FALSE(only_moves(*backend::find_op("add_Tensor")));
}

}  // namespace
}  // namespace npuscope::diagnose
