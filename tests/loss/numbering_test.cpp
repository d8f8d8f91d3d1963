#include "loss/numbering.h"

#include <cmath>

#include <gtest/gtest.h>

namespace npuscope::loss {
namespace {

/// A loss that falls, with what each batch does to it; record 0 is that of `first`.
Log falling(int64_t first, double factor = 1, size_t count = 40) {
    Log log;
    log.path = "x.csv";
    for (size_t i = 0; i < count; ++i) {
        const auto at = static_cast<double>(i);
        const double loss = 10 / (1 + 0.1 * at) + 0.2 * std::sin(12.9 * at * at);
        for (const Quantity each : {Quantity::kLoss, Quantity::kGradNorm}) {
            log.of(each).steps.push_back(first + static_cast<int64_t>(i));
            log.of(each).values.push_back(loss * factor);
        }
    }
    return log;
}

TEST(NumberedLike, counts_from_where_the_golden_does) {
    const Log from_one = numbered_like(falling(1), falling(0));
    EXPECT_EQ(from_one.of(Quantity::kLoss).steps.front(), 1);
    EXPECT_EQ(from_one.of(Quantity::kGradNorm).steps.back(), 40);
    ASSERT_EQ(from_one.remarks.size(), 1U);
    EXPECT_NE(from_one.remarks.front().find("counts its steps from 0, the golden from 1"),
              std::string::npos);
    EXPECT_EQ(numbered_like(falling(0), falling(1)).of(Quantity::kLoss).steps.front(), 0);
    // A learning rate that is another does not hide it.
    EXPECT_EQ(numbered_like(falling(1), falling(0, 1.01)).of(Quantity::kLoss).steps.front(), 1);
}

TEST(NumberedLike, leaves_steps_that_may_be_meant) {
    // A record more at the begin.
    Log earlier = falling(1);
    earlier.of(Quantity::kLoss).steps.insert(earlier.of(Quantity::kLoss).steps.begin(), 0);
    earlier.of(Quantity::kLoss).values.insert(earlier.of(Quantity::kLoss).values.begin(), 11);
    for (const auto& [golden, target] : {std::pair(falling(1), earlier),
                                         std::pair(falling(1), falling(2)),
                                         std::pair(falling(1), falling(1)),
                                         std::pair(falling(1), falling(0, 1, 2)),
                                         std::pair(falling(1), Log{})}) {
        const Log same = numbered_like(golden, target);
        EXPECT_EQ(same.of(Quantity::kLoss).steps, target.of(Quantity::kLoss).steps);
        EXPECT_TRUE(same.remarks.empty());
    }
}

}  // namespace
}  // namespace npuscope::loss
