#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(StandardDeviation, of_ten_elements_by_hand) {
    EXPECT_NEAR(value("standard_deviation"), std::sqrt(9.000625) - std::sqrt(9.41), 1e-14);
}

TEST(StandardDeviation, of_each_side_agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    const auto n = static_cast<long double>(g.size());
    const long double mean = slow_sum(t, g, [](auto, auto b) { return b; }) / n;
    const long double variance =
        slow_sum(t, g, [&](auto, auto b) { return (b - mean) * (b - mean); }) / n;
    const Sums sums = sums_of(t, g);
    expect_close(sums.g.mean, mean, 1e-11);
    expect_close(sums.g.deviation(), std::sqrt(variance));
}

TEST(StandardDeviation, of_identical_tensors_is_best) {
    expect_best_for_identical("standard_deviation");
}

TEST(StandardDeviation, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("standard_deviation");
}

}  // namespace
}  // namespace npuscope::compare::test
