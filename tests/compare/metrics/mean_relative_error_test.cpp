#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(MeanRelativeError, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("mean_relative_error"), 0.1);
}

TEST(MeanRelativeError, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    expect_close(value("mean_relative_error", t, g), slow_sum(t, g, [](auto a, auto b) {
                                                         return std::fabs(a - b) / std::fabs(b);
                                                     }) / 20000);
}

TEST(MeanRelativeError, of_identical_tensors_is_best) {
    expect_best_for_identical("mean_relative_error");
}

TEST(MeanRelativeError, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("mean_relative_error");
}

}  // namespace
}  // namespace npuscope::compare::test
