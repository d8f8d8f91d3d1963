#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

TEST(CosineSimilarity, of_ten_elements_by_hand) {
    EXPECT_DOUBLE_EQ(value("cosine_similarity"), 108.5 / std::sqrt(107.5625 * 111));
}

TEST(CosineSimilarity, agrees_with_the_slow_formula) {
    const auto t = long_target();
    const auto g = long_golden();
    const long double tg = slow_sum(t, g, [](auto a, auto b) { return a * b; });
    const long double tt = slow_sum(t, g, [](auto a, auto) { return a * a; });
    const long double gg = slow_sum(t, g, [](auto, auto b) { return b * b; });
    expect_close(value("cosine_similarity", t, g), tg / std::sqrt(tt * gg));
}

TEST(CosineSimilarity, is_undefined_for_a_zero_vector) {
    EXPECT_TRUE(std::isnan(value("cosine_similarity", {0, 0}, {0, 0})));
    EXPECT_TRUE(std::isnan(value("cosine_similarity", {1, 0}, {0, 0})));
}

TEST(CosineSimilarity, is_minus_one_for_negated_data) {
    EXPECT_DOUBLE_EQ(value("cosine_similarity", {1, -2, 3}, {-1, 2, -3}), -1);
}

TEST(CosineSimilarity, of_identical_tensors_is_best) {
    expect_best_for_identical("cosine_similarity");
}

TEST(CosineSimilarity, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("cosine_similarity");
}

}  // namespace
}  // namespace npuscope::compare::test
