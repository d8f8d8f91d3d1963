#include "msaccucmp/columns/algorithms.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace npuscope::msaccucmp {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

AlgorithmTexts texts_of(const std::vector<float>& x,
                        const std::vector<float>& y,
                        const std::vector<int>& selected = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
                        bool scalar = false,
                        bool bools = false) {
    return run_algorithms({.x = FloatSource(x.data(), x.size()),
                           .y = FloatSource(y.data(), y.size()),
                           .is_scalar = scalar,
                           .are_bools = bools,
                           .x_name = "/A/1/output/x",
                           .y_name = "/B/2/output/y"},
                          selected);
}

using Texts = std::vector<std::string>;

// Rows recorded from the reference tool (tests/golden/msaccucmp, ranges and misc).
TEST(Algorithms, of_one_hot_vectors_at_different_places_are_the_recorded_ones) {
    const AlgorithmTexts texts = texts_of({1, 0, 0, 0}, {0, 1, 0, 0});
    EXPECT_EQ(texts.values,
              (Texts{"0.000000",
                     "1.000000",
                     "1.000000",
                     "1.414214",
                     "15.942377",
                     "(0.250;0.433),(0.250;0.433)",
                     "0.500000",
                     "0.707107",
                     "1.000000",
                     "0.250000"}));
    EXPECT_TRUE(texts.reasons.empty());
}

// What the reference tool wrote for (1,0), (0,4) and (4,0) with a rule of quantisation.
TEST(Algorithms, take_the_cosine_of_no_elements_row_by_row) {
    const auto cosine = [](int64_t rows) {
        return run_algorithms({.x = FloatSource(nullptr, 0),
                               .y = FloatSource(nullptr, 0),
                               .empty_rows = rows,
                               .x_name = "x",
                               .y_name = "y"},
                              {0});
    };
    EXPECT_EQ(cosine(1).values, Texts{"1.0"});
    EXPECT_EQ(cosine(0).values, Texts{"0.000000"});
    EXPECT_EQ(cosine(4).values, Texts{"NaN"});
    EXPECT_EQ(cosine(4).reasons.size(), 1u);
    EXPECT_TRUE(cosine(0).reasons.empty());
}

TEST(Algorithms, write_nan_in_small_letters_and_without_sign) {
    const AlgorithmTexts texts = texts_of({1, -kNan, 3, 4}, {1, 2, 3, 4});
    EXPECT_EQ(texts.values,
              (Texts{"nan",
                     "nan",
                     "nan",
                     "nan",
                     "nan",
                     "(nan;nan),(2.500;1.118)",
                     "nan",
                     "nan",
                     "nan",
                     "nan"}));
}

TEST(Algorithms, write_infinity_as_python_does) {
    EXPECT_EQ(texts_of({1, kInf, 3, 4}, {1, 2, 3, 4}).values,
              (Texts{"nan",
                     "inf",
                     "inf",
                     "inf",
                     "nan",
                     "(inf;nan),(2.500;1.118)",
                     "inf",
                     "inf",
                     "inf",
                     "inf"}));
}

TEST(Algorithms, count_a_golden_nan_as_no_relative_error) {
    EXPECT_EQ(texts_of({1, 2, 3, 4}, {1, kNan, 3, 4}, {2, 8, 9}).values,
              (Texts{"0.000000", "0.000000", "0.000000"}));
}

TEST(Algorithms, give_all_zero_pairs_a_cosine_of_one_in_short) {
    EXPECT_EQ(texts_of({0, 0}, {0, 0}, {0}).values, (Texts{"1.0"}));
    EXPECT_EQ(texts_of({1e-30f, 1e-30f}, {1e-30f, 1e-30f}, {0}).values, (Texts{"1.0"}));
}

TEST(Algorithms, give_no_cosine_when_one_side_is_zero_and_name_it) {
    const AlgorithmTexts my = texts_of({0, 0}, {1, 1}, {0});
    EXPECT_EQ(my.values, (Texts{"NaN"}));
    ASSERT_EQ(my.reasons.size(), 1u);
    EXPECT_NE(my.reasons[0].find("/A/1/output/x"), std::string::npos);
    const AlgorithmTexts golden = texts_of({1, 1}, {0, 0}, {0, 3});
    EXPECT_EQ(golden.values, (Texts{"NaN", "0.000000"}));
    EXPECT_NE(golden.reasons.at(0).find("/B/2/output/y"), std::string::npos);
}

TEST(Algorithms, give_scalars_a_cosine_of_one_with_a_reason) {
    const AlgorithmTexts texts = texts_of({2.5f}, {2}, {0, 1}, true);
    EXPECT_EQ(texts.values, (Texts{"1.000000", "0.500000"}));
    EXPECT_EQ(texts.reasons.size(), 1u);
}

TEST(Algorithms, of_empty_tensors_are_the_recorded_ones) {
    const AlgorithmTexts texts = texts_of({}, {});
    EXPECT_EQ(texts.values,
              (Texts{"1.0",
                     "NaN",
                     "0.000000",
                     "0.000000",
                     "NaN",
                     "(nan;nan),(nan;nan)",
                     "nan",
                     "nan",
                     "NaN",
                     "nan"}));
    EXPECT_EQ(texts.reasons.size(), 3u);
}

TEST(Algorithms, of_bools_are_cosine_and_distance_only) {
    const AlgorithmTexts texts = texts_of({1, 0, 1, 1}, {1, 1, 1, 0}, {0, 1, 3}, false, true);
    EXPECT_EQ(texts.values, (Texts{"0.666667", "NaN", "NaN"}));
    EXPECT_EQ(texts.reasons.size(), 2u);
    EXPECT_EQ(texts_of({1, 0}, {0, 0}, {3}, false, true).values, (Texts{"0.000000"}));
}

TEST(Algorithms, cap_the_cosine_above_but_not_below) {
    EXPECT_EQ(texts_of({1, 2, 3}, {-1, -2, -3}, {0}).values, (Texts{"-1.000000"}));
}

TEST(Algorithms, print_large_values_with_all_digits) {
    EXPECT_EQ(six_decimals(1e20f), "100000002004087734272.000000");
    EXPECT_EQ(six_decimals(-0.0), "-0.000000");
    EXPECT_EQ(six_decimals(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(Algorithms, lose_the_cosine_of_huge_values_as_float32_does) {
    EXPECT_EQ(texts_of({1e20f, 2e20f}, {1e20f, 2e20f}, {0}).values, (Texts{"0.000000"}));
}

}  // namespace
}  // namespace npuscope::msaccucmp
