// Ten elements whose sums are easy by hand, and the slow formulas' view of any pair.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "compare/measure/accumulate.h"
#include "compare/metric.h"

namespace npuscope::compare::test {

inline const std::vector<float> kTarget = {1.5f, 2, 3, -2, 0.25f, 1, 8, -4, 2.5f, 1};
inline const std::vector<float> kGolden = {1, 2, 4, -2, 0, 1, 8, -4, 2, 1};
// t - g: 0.5, 0, -1, 0, 0.25, 0, 0, 0, 0.5, 0
// sums by hand: |t-g| 2.25, (t-g)^2 1.5625, g^2 111, t^2 107.5625, t*g 108.5, t 13.25, g 13,
// |t-g|/|g| 0.5 + 0.25 + 0.25 = 1 (nothing where g = 0)

inline Tensor tensor_of(const std::vector<float>& values) {
    return Tensor::from<float>({static_cast<int64_t>(values.size())},
                               std::span<const float>(values));
}

inline Sums sums_of(const std::vector<float>& target, const std::vector<float>& golden) {
    return accumulate(tensor_of(target), tensor_of(golden), true, 1);
}

inline const Metric& metric(const char* name) {
    return *all_metrics()[static_cast<size_t>(metric_index(name))];
}

inline double value(const char* name,
                    const std::vector<float>& target = kTarget,
                    const std::vector<float>& golden = kGolden) {
    return metric(name).compute(sums_of(target, golden));
}

/// A pair of 20000 elements (three tiles), not of one sign, without zeros.
inline std::vector<float> long_golden() {
    std::vector<float> values(20000);
    for (size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i)) * 3 + 0.1);
    return values;
}
inline std::vector<float> long_target() {
    std::vector<float> values = long_golden();
    for (size_t i = 0; i < values.size(); ++i)
        values[i] += static_cast<float>(1e-3 * std::cos(1.7 * static_cast<double>(i)));
    return values;
}

/// sum over i of term(t_i, g_i) in long double.
template <class Term>
long double slow_sum(const std::vector<float>& target,
                     const std::vector<float>& golden,
                     Term&& term) {
    long double sum = 0;
    for (size_t i = 0; i < target.size(); ++i)
        sum += term(static_cast<long double>(target[i]), static_cast<long double>(golden[i]));
    return sum;
}

inline void expect_close(double ours, long double slow, double relative = 1e-12) {
    EXPECT_NEAR(ours, static_cast<double>(slow), relative * std::fabs(static_cast<double>(slow)));
}

/// Identical, varying tensors give the row's best value.
inline void expect_best_for_identical(const char* name) {
    const double best = metric(name).best;
    EXPECT_EQ(value(name, kGolden, kGolden), best);
    const double of_many = value(name, long_golden(), long_golden());
    EXPECT_TRUE(of_many == best || std::fabs(of_many - best) < 1e-14) << of_many;
}

/// No pair of finite elements: no value.
inline void expect_undefined_without_pairs(const char* name) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(std::isnan(value(name, {}, {})));
    EXPECT_TRUE(std::isnan(value(name, {kNan, 1}, {2, kNan})));
}

}  // namespace npuscope::compare::test
