#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(MeanAbsoluteError, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("mean_absolute_error"), 0.225);
}

TEST(MeanAbsoluteError, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    expect_close(value("mean_absolute_error", t, g),
                 slow_sum(t, g, [](auto a, auto b) { return std::fabs(a - b); }) / 20000);
}

TEST(MeanAbsoluteError, of_identical_tensors_is_best) {
    expect_best_for_identical("mean_absolute_error");
}

TEST(MeanAbsoluteError, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("mean_absolute_error");
}

}  // namespace
}  // namespace npuscope::compare::test
