#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(SnrDb, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("snr_db"), 10 * std::log10(111 / 1.5625));
    EXPECT_DOUBLE_EQ(value("snr_db", {1.1f, 0}, {1, 0}), -20 * std::log10(1.1f - 1.0));
}

TEST(SnrDb, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    const long double dd = slow_sum(t, g, [](auto a, auto b) { return (a - b) * (a - b); });
    const long double gg = slow_sum(t, g, [](auto, auto b) { return b * b; });
    expect_close(value("snr_db", t, g), 10 * std::log10(gg / dd));
}

TEST(SnrDb, is_undefined_for_a_zero_golden) {
    EXPECT_TRUE(std::isnan(value("snr_db", {1}, {0})));
}

TEST(SnrDb, of_identical_tensors_is_best) {
    expect_best_for_identical("snr_db");
}

TEST(SnrDb, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("snr_db");
}

}  // namespace
}  // namespace npuscope::compare::test
