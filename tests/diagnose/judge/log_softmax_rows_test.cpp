#include "diagnose/judge/log_softmax_rows.h"

#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "tests/diagnose/judge/runs.h"

namespace npuscope::diagnose {
namespace {

using test::floats;

constexpr int64_t kSamples = 6;
constexpr int64_t kClasses = 10;

OpRun log_softmax_run(int64_t dim = -1) {
    std::vector<float> x;
    for (int i = 0; i < kSamples * kClasses; ++i)
        x.push_back(2 * std::sin(1.7F * static_cast<float>(i * i % 977)));
    return test::run_here(
        "_log_softmax",
        {{"self", floats({kSamples, kClasses}, x)}, {"dim", dim}, {"half_to_float", false}});
}

/// The run, with its result's element (row, column) off by so much.
OpRun off_by_element(OpRun run, const std::function<double(int64_t, int64_t)>& error) {
    const auto y = run.results.front().elements.mutable_as<float>();
    for (int64_t row = 0; row < kSamples; ++row)
        for (int64_t column = 0; column < kClasses; ++column) {
            float& each = y[static_cast<size_t>(row * kClasses + column)];
            each = static_cast<float>(each + error(row, column));
        }
    return run;
}

/// How far off the run's result is, when 2^-9 of its size is allowed; 0 where nothing is said.
double row_ratio(const OpRun& run, const NumberFormat& steps = kFloat32) {
    const auto found = log_softmax_row_error(test::in_limit(run, kFloat32, steps, 0x1p-9, 0x1p-9));
    return found ? found->ratio : 0;
}

constexpr double kEightUnits = 0x1p-20;  ///< eight units of float32 numbers from 1 to 2

TEST(LogSoftmaxRows, are_shifted_as_a_whole) {
    EXPECT_EQ(row_ratio(log_softmax_run()), 0);
    const auto shifted = [](int64_t row, int64_t) {
        return row == 2 ? 30 * kEightUnits : kEightUnits;
    };
    EXPECT_EQ(row_ratio(off_by_element(log_softmax_run(), shifted)), 0);
    EXPECT_EQ(row_ratio(off_by_element(log_softmax_run(0),
                                       [](int64_t, int64_t column) {
                                           return column == 2 ? 30 * kEightUnits : kEightUnits;
                                       })),
              0);
}

TEST(LogSoftmaxRows, are_off_when_their_elements_differ) {
    const auto one = [](int64_t row, int64_t column) {
        return row == 2 && column == 3 ? 4 * kEightUnits : 0;
    };
    EXPECT_GT(row_ratio(off_by_element(log_softmax_run(), one)), 1);
    // Along the other axis a whole row is no shift.
    const auto shifted = [](int64_t row, int64_t) { return row == 2 ? 30 * kEightUnits : 0; };
    EXPECT_GT(row_ratio(off_by_element(log_softmax_run(0), shifted)), 1);
}

/// Units of 16-bit steps are 2^13 times as large.
TEST(LogSoftmaxRows, are_off_by_the_units_of_their_steps) {
    const auto one = [](int64_t row, int64_t column) {
        return row == 2 && column == 3 ? 4 * kEightUnits : 0;
    };
    EXPECT_EQ(row_ratio(off_by_element(log_softmax_run(), one), kFloat16), 0);
    const auto more = [](int64_t row, int64_t column) {
        return row == 2 && column == 3 ? 0x1p13 * 4 * kEightUnits : 0;
    };
    EXPECT_GT(row_ratio(off_by_element(log_softmax_run(), more), kFloat16), 1);
}

TEST(LogSoftmaxRows, are_looked_at_where_they_are_numbers) {
    OpRun run = log_softmax_run();
    const auto x = std::get<Tensor>(run.arguments.front().value).as<float>();
    std::vector<float> masked(x.begin(), x.end());
    masked[4] = -std::numeric_limits<float>::infinity();
    run = test::run_here("_log_softmax",
                         {{"self", floats({kSamples, kClasses}, masked)},
                          {"dim", int64_t{1}},
                          {"half_to_float", false}});
    EXPECT_EQ(row_ratio(run), 0);
}

TEST(LogSoftmaxRows, are_those_of_log_softmax) {
    const OpRun run = log_softmax_run();
    OpRun other = test::run_here("_softmax", run.arguments);
    EXPECT_EQ(row_ratio(off_by_element(
                  std::move(other), [](int64_t row, int64_t) { return row == 2 ? 0x1p-12 : 0; })),
              0);
}

}  // namespace
}  // namespace npuscope::diagnose
