#include "diagnose/judge/off_grid.h"

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

constexpr double kUnit = 0x1p-10;  ///< between float16 numbers from 1 to 2

/// Recorded in float32, each element expected to be a quarter of a unit above where it was rounded.
struct Case {
    explicit Case(std::vector<float> values) {
        for (const float value : values)
            exact.push_back(value + kUnit / 4);
        result.elements = floats(std::move(values));
        limit.assign(exact.size(), 10 * kUnit);
    }

    /// The elements whose limit was changed.
    std::vector<size_t> forbidden(const NumberFormat& format = kFloat16) {
        const std::optional<AllowedErrors> other = without_off_grid(result, exact, format, limit);
        std::vector<size_t> places;
        for (size_t i = 0; other && i < limit.size(); ++i)
            if (other->at(i) != limit[i]) places.push_back(i);
        EXPECT_EQ(other.has_value(), !places.empty());
        if (other) limit = *other;
        return places;
    }

    RecordedResult result{};
    std::vector<double> exact{};
    AllowedErrors limit{};
};

const float kNext = 1 + 0x1p-10F;
const float kOutside = 1 + 0x1p-10F / 2 + 0x1p-20F;  ///< between two float16 numbers
const float kSum = 1 + 0x1p-10F / 2;                 ///< of two that are half as large

TEST(OffGrid, forbids_what_others_were_rounded_away_from) {
    Case one({1, kNext, 1, kNext, kOutside});
    EXPECT_EQ(one.forbidden(), std::vector<size_t>{4});
    // Half a unit is 2^-11; a sixteenth of it is left.
    EXPECT_EQ(one.limit[4], 0x1p-15);
}

TEST(OffGrid, needs_some_that_are_rounded_and_more_than_are_not) {
    EXPECT_EQ(Case({1, kNext, 1, kOutside}).forbidden(), std::vector<size_t>{});
    EXPECT_EQ(Case({1, 1, 1, 1, kOutside, kOutside, kOutside, kOutside, kOutside}).forbidden(),
              std::vector<size_t>{});
}

TEST(OffGrid, knows_a_sum_of_numbers_that_are_rounded) {
    EXPECT_EQ(Case({1, kNext, 1, kNext, kSum}).forbidden(), std::vector<size_t>{});
}

// What is exact was not rounded: a constant that a float32 op clips to tells nothing.
TEST(OffGrid, takes_no_exact_element_for_a_rounded_one) {
    Case clipped({1, 1, 1, 1, 1, kOutside});
    for (size_t i = 0; i < 5; ++i)
        clipped.exact[i] = 1;
    EXPECT_EQ(clipped.forbidden(), std::vector<size_t>{});
}

TEST(OffGrid, lets_pass_what_was_kept_in_the_recorded_format) {
    Case kept({1, kNext, 1, kNext, kOutside, kOutside});
    kept.exact[4] = kOutside;
    kept.exact[5] = kOutside + 0x1p-23;
    EXPECT_EQ(kept.forbidden(), std::vector<size_t>{});
}

TEST(OffGrid, is_of_formats_that_are_narrower_than_the_recorded) {
    EXPECT_EQ(Case({1, kNext, 1, kNext, kOutside}).forbidden(kFloat32), std::vector<size_t>{});
    Case half({1, kNext, 1, kNext, kOutside});
    half.result.elements = half.result.elements.cast(DType::kFloat16);
    EXPECT_EQ(half.forbidden(), std::vector<size_t>{});
}

// The gradient of a bias adds up elements of bfloat16: some of its sums have few bits.
TEST(OffGrid, is_not_asked_where_tensors_of_16_bits_say_what_was_kept_in_float32) {
    const Tensor wide = floats({1, kNext});
    EXPECT_FALSE(tells_16_bits(test::recorded_run("relu", {{"self", wide}}, wide)));
    const Tensor half = wide.cast(DType::kFloat16);
    EXPECT_TRUE(tells_16_bits(test::recorded_run("relu", {{"self", half}}, wide)));
    EXPECT_TRUE(tells_16_bits(test::recorded_run("relu", {{"self", wide}}, half)));
}

}  // namespace
}  // namespace npuscope::diagnose
