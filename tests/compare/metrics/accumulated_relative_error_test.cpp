#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(AccumulatedRelativeError, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("accumulated_relative_error"), 1);
}

TEST(AccumulatedRelativeError, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    expect_close(value("accumulated_relative_error", t, g),
                 slow_sum(t, g, [](auto a, auto b) { return std::fabs(a - b) / std::fabs(b); }));
}

TEST(AccumulatedRelativeError, ignores_elements_where_the_golden_is_zero) {
    EXPECT_EQ(value("accumulated_relative_error", {5, 2}, {0, 1}), 1);
}

TEST(AccumulatedRelativeError, of_identical_tensors_is_best) {
    expect_best_for_identical("accumulated_relative_error");
}

TEST(AccumulatedRelativeError, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("accumulated_relative_error");
}

}  // namespace
}  // namespace npuscope::compare::test
