#include "core/tensor/statistics.h"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/values.h"

namespace npuscope {
namespace {

using test::kInf;
using test::kNan;
constexpr double kMax = std::numeric_limits<double>::max();

TEST(TensorStatistics, count_every_kind_of_value) {
    const Statistics found =
        statistics_of(Tensor::from<double>({9}, {0.0, -0.0, 1, 2, 3, kInf, -kInf, -kInf, kNan}));
    EXPECT_EQ(found.count, 9);
    EXPECT_EQ(found.finite, 5);
    EXPECT_EQ(found.nan, 1);
    EXPECT_EQ(found.positive_inf, 1);
    EXPECT_EQ(found.negative_inf, 2);
    EXPECT_EQ(found.zero, 2);
    EXPECT_EQ(found.min, 0);
    EXPECT_EQ(found.max, 3);
    EXPECT_EQ(found.mean, 1.2);
    // By hand: squares of -1.2, -1.2, -0.2, 0.8, 1.8 sum to 6.8.
    EXPECT_DOUBLE_EQ(found.deviation, std::sqrt(6.8 / 5));
}

TEST(TensorStatistics, give_all_numbers_alike_on_demand) {
    const Statistics finite = statistics_of(Tensor::from<float>({3}, {3, -4, 0}));
    EXPECT_DOUBLE_EQ(finite.norm(), 5);
    EXPECT_EQ(finite.max_of_numbers(), 3);
    EXPECT_EQ(finite.min_of_numbers(), -4);
    const Statistics one_sided = statistics_of(Tensor::from<double>({3}, {1, kNan, kInf}));
    EXPECT_EQ(one_sided.max_of_numbers(), kInf);
    EXPECT_EQ(one_sided.min_of_numbers(), 1);
    EXPECT_EQ(one_sided.mean_of_numbers(), kInf);
    const Statistics both = statistics_of(Tensor::from<double>({2}, {-kInf, kInf}));
    EXPECT_EQ(both.min_of_numbers(), -kInf);
    EXPECT_TRUE(std::isnan(both.mean_of_numbers()));
    EXPECT_TRUE(std::isnan(statistics_of(Tensor::from<double>({1}, {kNan})).max_of_numbers()));
}

TEST(TensorStatistics, are_zero_without_finite_elements) {
    for (const Tensor& tensor :
         {Tensor(DType::kFloat32, {0}), Tensor::from<double>({2}, {kNan, kInf})}) {
        const Statistics found = statistics_of(tensor);
        EXPECT_EQ(found.finite, 0);
        EXPECT_EQ(found.min, 0);
        EXPECT_EQ(found.mean, 0);
        EXPECT_EQ(histogram_of(tensor, found, 4), (std::vector<int64_t>{0, 0, 0, 0}));
    }
}

TEST(TensorStatistics, survive_the_largest_doubles) {
    const Tensor tensor = Tensor::from<double>({4}, {kMax, kMax, kMax, -kMax});
    const Statistics found = statistics_of(tensor);
    EXPECT_DOUBLE_EQ(found.mean, kMax / 2);
    EXPECT_EQ(found.min, -kMax);
    EXPECT_EQ(histogram_of(tensor, found, 2), (std::vector<int64_t>{1, 3}));
}

TEST(TensorStatistics, serve_every_dtype) {
    for (const DTypeInfo& row : all_dtypes()) {
        const Tensor tensor = Tensor::from<int8_t>({3}, {0, 1, 1}).cast(row.dtype);
        const Statistics found = statistics_of(tensor);
        EXPECT_EQ(found.zero, 1) << row.name;
        EXPECT_EQ(found.max, 1) << row.name;
        EXPECT_DOUBLE_EQ(found.mean, 2.0 / 3) << row.name;
    }
}

TEST(TensorStatistics, run_over_tile_borders) {
    std::vector<float> values(3 * 8192 + 5);
    std::iota(values.begin(), values.end(), 0.0F);
    const auto count = static_cast<int64_t>(values.size());
    const Tensor tensor = Tensor::from<float>({count}, std::span<const float>(values));
    const Statistics found = statistics_of(tensor);
    EXPECT_EQ(found.mean, static_cast<double>(count - 1) / 2);
    const std::vector<int64_t> bins = histogram_of(tensor, found, 20);
    EXPECT_EQ(std::accumulate(bins.begin(), bins.end(), int64_t{0}), count);
}

TEST(TensorStatistics, keep_a_nan_of_one_tile_out_of_the_others) {
    std::vector<float> values(3 * 8192 + 5);
    std::iota(values.begin(), values.end(), 0.0F);
    const auto count = static_cast<int64_t>(values.size());
    values[10'000] = std::numeric_limits<float>::quiet_NaN();
    const Statistics found =
        statistics_of(Tensor::from<float>({count}, std::span<const float>(values)));
    EXPECT_EQ(found.nan, 1);
    EXPECT_EQ(found.finite, count - 1);
    EXPECT_EQ(found.zero, 1);
    EXPECT_EQ(found.min, 0);
    EXPECT_EQ(found.max, static_cast<double>(count - 1));
    const double sum = static_cast<double>(count - 1) * static_cast<double>(count) / 2 - 10'000;
    EXPECT_DOUBLE_EQ(found.mean, sum / static_cast<double>(count - 1));
}

TEST(Histogram, puts_the_largest_value_into_the_last_bin) {
    const Tensor tensor = Tensor::from<double>({5}, {0, 0.9, 1, 3.9, 4});
    EXPECT_EQ(histogram_of(tensor, statistics_of(tensor), 4), (std::vector<int64_t>{2, 1, 0, 2}));
}

TEST(Histogram, puts_a_constant_into_the_first_bin) {
    const Tensor tensor = Tensor::from<double>({3}, {7, 7, 7});
    EXPECT_EQ(histogram_of(tensor, statistics_of(tensor), 3), (std::vector<int64_t>{3, 0, 0}));
}

}  // namespace
}  // namespace npuscope
