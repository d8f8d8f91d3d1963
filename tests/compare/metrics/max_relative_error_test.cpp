#include <algorithm>
#include <vector>

#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(MaxRelativeError, of_ten_elements_by_hand) {
    EXPECT_EQ(value("max_relative_error"), 0.5);
}

TEST(MaxRelativeError, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    long double largest = 0;
    for (size_t i = 0; i < t.size(); ++i)
        largest = std::max(largest, std::fabs((static_cast<long double>(t[i]) - g[i]) / g[i]));
    expect_close(value("max_relative_error", t, g), largest);
}

TEST(MaxRelativeError, ignores_elements_where_the_golden_is_zero) {
    EXPECT_EQ(value("max_relative_error", {5, 2}, {0, 1}), 1);
}

TEST(MaxRelativeError, of_identical_tensors_is_best) {
    expect_best_for_identical("max_relative_error");
}

TEST(MaxRelativeError, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("max_relative_error");
}

}  // namespace
}  // namespace npuscope::compare::test
