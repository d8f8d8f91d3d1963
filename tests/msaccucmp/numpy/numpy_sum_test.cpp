// NumPy's float32 sums, recorded by data/numpy/make_float32_sums.py.

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <hwy/targets.h>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "msaccucmp/numpy/pair_numbers.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

std::vector<float> data_of(uint32_t n) {
    std::vector<float> values;
    uint32_t state = n;
    for (uint32_t i = 0; i < n; ++i) {
        state = state * 1664525u + 1013904223u;
        values.push_back(static_cast<float>((static_cast<double>(state >> 8) / 16777216 - 0.25) *
                                            static_cast<double>(1u << (state & 7u))));
    }
    return values;
}

PairNumbers numbers_of(const std::vector<float>& x,
                       const std::vector<float>& y,
                       const Wanted& wanted,
                       int threads = 1) {
    return pair_numbers(
        FloatSource(x.data(), x.size()), FloatSource(y.data(), y.size()), wanted, threads);
}

struct RecordedSum {
    uint32_t n = 0;
    uint32_t sum = 0;
    uint32_t squares = 0;
    std::string mean;
};

std::vector<RecordedSum> recorded() {
    std::ifstream file(test::source_dir() / "data/numpy/float32_sums.txt");
    std::vector<RecordedSum> rows;
    RecordedSum row;
    while (file >> row.n >> std::hex >> row.sum >> row.squares >> row.mean >> std::dec)
        rows.push_back(row);
    return rows;
}

TEST(NumpySum, has_numpys_bits_for_many_lengths) {
    const auto rows = recorded();
    ASSERT_GT(rows.size(), 80u);
    for (const RecordedSum& row : rows) {
        const std::vector<float> values = data_of(row.n);
        EXPECT_EQ(std::bit_cast<uint32_t>(numpy_sum(values.data(), values.size())), row.sum)
            << row.n;
    }
}

TEST(PairNumbers, has_numpys_sums_for_many_lengths) {
    for (const RecordedSum& row : recorded()) {
        const std::vector<float> x = data_of(row.n);
        const std::vector<float> zeros(x.size(), 0.0f);
        const PairNumbers numbers = numbers_of(x, zeros, {});
        EXPECT_EQ(std::bit_cast<uint32_t>(numbers.sum_xx), row.squares) << row.n;
        EXPECT_EQ(std::bit_cast<uint32_t>(numbers.sum_dd), row.squares) << row.n;
        EXPECT_EQ(numbers.sum_yy, 0) << row.n;
        if (row.n == 0) continue;
        const auto mean = static_cast<float>(static_cast<double>(numbers.sum_abs) / row.n);
        EXPECT_EQ(std::bit_cast<uint32_t>(mean), std::stoul(row.mean, nullptr, 16)) << row.n;
    }
}

TEST(PairNumbers, lets_nan_through_every_maximum) {
    for (const size_t at : {size_t{0}, size_t{5}, size_t{8}, size_t{20}, size_t{299}}) {
        std::vector<float> x(300, 1.0f);
        const std::vector<float> y(300, 2.0f);
        x[at] = std::numeric_limits<float>::quiet_NaN();
        const PairNumbers numbers = numbers_of(x, y, {.cosine = true, .divergence = true});
        EXPECT_TRUE(std::isnan(numbers.max_abs)) << at;
        EXPECT_TRUE(std::isnan(numbers.max_rel)) << at;
        EXPECT_TRUE(std::isnan(numbers.sum_abs)) << at;
        EXPECT_TRUE(std::isnan(numbers.cosine)) << at;
        EXPECT_TRUE(std::isnan(numbers.divergence)) << at;
    }
}

/// Every number, bit by bit; the struct itself has bytes between them.
std::vector<uint64_t> bits_of(const PairNumbers& n) {
    std::vector<uint64_t> bits = {n.count};
    for (const float number : {n.sum_xx,
                               n.sum_yy,
                               n.sum_dd,
                               n.sum_abs,
                               n.sum_rel,
                               n.max_abs,
                               n.max_rel,
                               n.cosine,
                               n.divergence})
        bits.push_back(std::bit_cast<uint32_t>(number));
    for (const double number : {n.mean_x, n.mean_y, n.deviation_x, n.deviation_y})
        bits.push_back(std::bit_cast<uint64_t>(number));
    return bits;
}

/// The same numbers with every vector instruction set that this CPU has. Some multiply by exact
/// reciprocals where others divide.
void expect_same_bits(const std::vector<float>& x, const std::vector<float>& y) {
    const Wanted all{.cosine = true, .divergence = true, .deviation = true};
    const PairNumbers expected = numbers_of(x, y, all);
    int compared = 0;
    for (int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
        hwy::SetSupportedTargetsForTest(rest & -rest);
        for (const int threads : {1, 3}) {
            const PairNumbers numbers = numbers_of(x, y, all, threads);
            EXPECT_EQ(bits_of(numbers), bits_of(expected)) << hwy::TargetName(rest & -rest);
            ++compared;
        }
        hwy::SetSupportedTargetsForTest(0);
    }
    EXPECT_GE(compared, 4);
}

TEST(PairNumbers, have_the_same_bits_for_any_instruction_set_and_thread_count) {
    std::vector<float> x = data_of(300007);
    std::vector<float> y = data_of(300008);
    y.pop_back();
    x[5] = 0;
    y[6] = 0x1p-140f;
    expect_same_bits(x, y);
}

TEST(PairNumbers, have_the_same_bits_for_any_instruction_set_at_any_scale) {
    std::mt19937 random(3);
    for (const float scale : {0x1p-130f, 0x1p-70f, 0x1p-59f, 1e-3f, 1.0f, 3e7f, 0x1p59f, 1e37f}) {
        std::vector<float> x(5003);
        std::vector<float> y(5003);
        for (size_t i = 0; i < x.size(); ++i) {
            // Many magnitudes, so that quotients near every rounding boundary turn up.
            const float spread = std::ldexp(1.0f, -static_cast<int>(random() % 30));
            x[i] = scale * spread * static_cast<float>(random() % 16777216) / 16777216.0f;
            y[i] = x[i] * (1 + 1e-3f * static_cast<float>(random() % 1000) / 1000.0f);
        }
        expect_same_bits(x, y);
        std::fill(y.begin(), y.end(), scale);
        expect_same_bits(x, y);
    }
}

TEST(PairNumbers, finds_maxima_in_the_tail) {
    std::vector<float> x(19, 1.0f);
    const std::vector<float> y(19, 1.0f);
    x[18] = 4;
    const PairNumbers numbers = numbers_of(x, y, {});
    EXPECT_EQ(numbers.max_abs, 3);
    EXPECT_EQ(numbers.max_rel, 3);
}

}  // namespace
}  // namespace npuscope::msaccucmp
