#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(RootMeanSquareError, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("root_mean_square_error"), std::sqrt(0.15625));
}

TEST(RootMeanSquareError, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    const long double dd = slow_sum(t, g, [](auto a, auto b) { return (a - b) * (a - b); });
    expect_close(value("root_mean_square_error", t, g), std::sqrt(dd / 20000));
}

TEST(RootMeanSquareError, of_identical_tensors_is_best) {
    expect_best_for_identical("root_mean_square_error");
}

TEST(RootMeanSquareError, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("root_mean_square_error");
}

}  // namespace
}  // namespace npuscope::compare::test
