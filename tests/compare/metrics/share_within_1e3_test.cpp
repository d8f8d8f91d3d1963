#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(ShareWithin1e3, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("share_within_1e3"), 0.6);
    EXPECT_DOUBLE_EQ(value("share_within_1e3", {1001, 1001.5f, 1, 2}, {1000, 1000, 0, 2}), 0.5);
}

TEST(ShareWithin1e3, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    const long double within = slow_sum(t, g, [](auto a, auto b) {
        return std::fabs(a - b) <= 1e-3L * std::fabs(b) ? 1.0L : 0.0L;
    });
    EXPECT_DOUBLE_EQ(value("share_within_1e3", t, g), static_cast<double>(within / 20000));
}

TEST(ShareWithin1e3, of_identical_tensors_is_best) {
    expect_best_for_identical("share_within_1e3");
}

TEST(ShareWithin1e3, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("share_within_1e3");
}

}  // namespace
}  // namespace npuscope::compare::test
