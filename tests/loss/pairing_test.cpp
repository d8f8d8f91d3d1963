#include "loss/pairing.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::loss {
namespace {

Log log_with(std::vector<int64_t> steps, std::vector<double> values) {
    Log log;
    log.path = "x.log";
    log.of(Quantity::kLoss) = {std::move(steps), std::move(values)};
    return log;
}

TEST(PrintedDigits, are_those_that_a_curve_shows) {
    // Five decimals, whatever the size.
    const PrintedDigits fixed({10.39757, 9.5, 0.00124});
    EXPECT_DOUBLE_EQ(fixed.unit(10.39757), 1e-5);
    // Seven significant digits.
    const PrintedDigits scientific({1.052345e+01, 1.052346e+01});
    EXPECT_DOUBLE_EQ(scientific.unit(10.5), 1e-5);
    EXPECT_DOUBLE_EQ(scientific.unit(105.0), 1e-4);
    EXPECT_DOUBLE_EQ(PrintedDigits({2, 3}).unit(2), 1);
    EXPECT_DOUBLE_EQ(PrintedDigits({}).unit(0), 1);
}

TEST(Pair, takes_common_steps_and_the_coarser_digits) {
    const Pairing both = pair(log_with({1, 2, 3, 5}, {9.1234, 8.1234, 7.1234, 6.1234}),
                              log_with({2, 3, 4}, {8.1, 7.2, 6.9}),
                              Quantity::kLoss);
    EXPECT_EQ(both.steps, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(both.golden, (std::vector<double>{8.1234, 7.1234}));
    EXPECT_DOUBLE_EQ(both.unit[0], 0.1);
    EXPECT_DOUBLE_EQ(both.difference(1), 7.2 - 7.1234);
}

TEST(Pair, leaves_out_what_was_not_logged_before_the_first_number) {
    const double nan = std::nan("");
    const Pairing both =
        pair(log_with({1, 2, 3}, {nan, 8, nan}), log_with({1, 2, 3}, {9, 8, 7}), Quantity::kLoss);
    EXPECT_EQ(both.steps, (std::vector<int64_t>{2, 3}));
    ASSERT_EQ(both.remarks.size(), 1U);
    EXPECT_NE(both.remarks[0].find("no numbers before step 2"), std::string::npos);
    EXPECT_EQ(pair(log_with({1}, {nan}), log_with({1}, {9}), Quantity::kLoss).size(), 1U);
}

TEST(Pair, rejects_logs_without_a_common_step) {
    EXPECT_THROW(static_cast<void>(pair(log_with({1}, {9}), log_with({2}, {9}), Quantity::kLoss)),
                 Error);
    EXPECT_THROW(static_cast<void>(pair(log_with({1}, {9}), log_with({}, {}), Quantity::kLoss)),
                 Error);
}

}  // namespace
}  // namespace npuscope::loss
