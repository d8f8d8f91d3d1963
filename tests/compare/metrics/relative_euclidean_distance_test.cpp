#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(RelativeEuclideanDistance, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("relative_euclidean_distance"), 1.25 / std::sqrt(111.0));
}

TEST(RelativeEuclideanDistance, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    const long double dd = slow_sum(t, g, [](auto a, auto b) { return (a - b) * (a - b); });
    const long double gg = slow_sum(t, g, [](auto, auto b) { return b * b; });
    expect_close(value("relative_euclidean_distance", t, g), std::sqrt(dd / gg));
}

TEST(RelativeEuclideanDistance, is_undefined_for_a_zero_golden_unless_equal) {
    EXPECT_TRUE(std::isnan(value("relative_euclidean_distance", {1, 0}, {0, 0})));
    EXPECT_EQ(value("relative_euclidean_distance", {0, 0}, {0, 0}), 0);
}

TEST(RelativeEuclideanDistance, of_identical_tensors_is_best) {
    expect_best_for_identical("relative_euclidean_distance");
}

TEST(RelativeEuclideanDistance, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("relative_euclidean_distance");
}

}  // namespace
}  // namespace npuscope::compare::test
