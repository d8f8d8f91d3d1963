#include <algorithm>
#include <vector>

#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(MaxAbsoluteError, of_ten_elements_by_hand) {
    EXPECT_EQ(value("max_absolute_error"), 1);
}

TEST(MaxAbsoluteError, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    long double largest = 0;
    for (size_t i = 0; i < t.size(); ++i)
        largest = std::max(largest, std::fabs(static_cast<long double>(t[i]) - g[i]));
    EXPECT_EQ(value("max_absolute_error", t, g), static_cast<double>(largest));
}

TEST(MaxAbsoluteError, knows_where_the_largest_is) {
    EXPECT_EQ(sums_of(kTarget, kGolden).max_d_at, 2);
}

TEST(MaxAbsoluteError, of_identical_tensors_is_best) {
    expect_best_for_identical("max_absolute_error");
}

TEST(MaxAbsoluteError, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("max_absolute_error");
}

}  // namespace
}  // namespace npuscope::compare::test
