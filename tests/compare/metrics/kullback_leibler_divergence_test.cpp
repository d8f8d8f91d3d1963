#include <algorithm>
#include <vector>

#include "tests/compare/metrics/ten_elements.h"

namespace npuscope::compare::test {
namespace {

long double slow_divergence(const std::vector<float>& t, const std::vector<float>& g) {
    const auto masses = [](const std::vector<float>& values) {
        const auto [low, high] = std::minmax_element(values.begin(), values.end());
        std::vector<long double> p;
        long double sum = 0;
        for (const float v : values) {
            const long double range = static_cast<long double>(*high) - *low;
            const long double moved = range != 0 ? (static_cast<long double>(v) - *low) / range : v;
            p.push_back(std::max(moved, 0x1p-23L));
            sum += p.back();
        }
        for (long double& each : p)
            each /= sum;
        return p;
    };
    const auto p = masses(t);
    const auto q = masses(g);
    long double divergence = 0;
    for (size_t i = 0; i < p.size(); ++i)
        divergence += p[i] * std::log(p[i] / q[i]);
    return divergence;
}

TEST(KullbackLeiblerDivergence, of_two_elements_by_hand) {
    // Both sides become {0, 1}: no divergence, whatever the scale.
    EXPECT_NEAR(value("kullback_leibler_divergence", {1, 3}, {10, 30}), 0, 1e-15);
    // {0, 1, 1} and {0, 0.5, 1} with the floor e = 2^-23: p = {e,1,1}/(2+e), q = {e,.5,1}/(1.5+e).
    const double e = 0x1p-23;
    const double p1 = 1 / (2 + e);
    const double hand = e * p1 * std::log((e * p1) / (e / (1.5 + e))) +
                        p1 * std::log(p1 / (0.5 / (1.5 + e))) + p1 * std::log(p1 / (1 / (1.5 + e)));
    EXPECT_NEAR(value("kullback_leibler_divergence", {0, 1, 1}, {0, 0.5f, 1}), hand, 1e-15);
}

TEST(KullbackLeiblerDivergence, agrees_with_the_slow_formula) {
    expect_close(value("kullback_leibler_divergence"), slow_divergence(kTarget, kGolden));
    expect_close(value("kullback_leibler_divergence", long_target(), long_golden()),
                 slow_divergence(long_target(), long_golden()),
                 1e-6);
}

TEST(KullbackLeiblerDivergence, is_zero_for_constant_tensors) {
    EXPECT_NEAR(value("kullback_leibler_divergence", {3, 3}, {2, 2}), 0, 1e-15);
}

TEST(KullbackLeiblerDivergence, of_identical_tensors_is_best) {
    expect_best_for_identical("kullback_leibler_divergence");
}

TEST(KullbackLeiblerDivergence, is_undefined_without_pairs_of_finite_elements) {
    expect_undefined_without_pairs("kullback_leibler_divergence");
}

}  // namespace
}  // namespace npuscope::compare::test
