#include "loss/log_builder.h"

#include <gtest/gtest.h>

namespace npuscope::loss {
namespace {

struct Told {
    int64_t step;
    double loss;
    int32_t rank = -1;
};

Log built(const std::vector<Told>& records) {
    LogBuilder builder;
    for (const Told& told : records) {
        Record record;
        record.step = told.step;
        record.rank = told.rank;
        record.set(Quantity::kLoss, told.loss);
        builder.add(record);
    }
    Log log;
    builder.finish(log);
    return log;
}

TEST(LogBuilder, follows_a_restart) {
    const Log log = built({{1, 9}, {2, 8}, {3, 7}, {4, 6}, {3, 6.5}, {4, 5.5}});
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 2, 3, 4}));
    EXPECT_EQ(log.of(Quantity::kLoss).values, (std::vector<double>{9, 8, 6.5, 5.5}));
    ASSERT_EQ(log.remarks.size(), 1U);
    EXPECT_EQ(log.remarks[0], "the step goes back to 3: a restart, which counts from there on");
}

TEST(LogBuilder, keeps_the_first_of_a_repeated_step) {
    const Log log = built({{1, 9}, {1, 9}, {2, 8}, {2, 3}, {3, 7}});
    EXPECT_EQ(log.of(Quantity::kLoss).values, (std::vector<double>{9, 8, 7}));
    ASSERT_EQ(log.remarks.size(), 1U);
    EXPECT_NE(log.remarks[0].find("2 records repeat a step, 1 of them with another loss"),
              std::string::npos);
}

TEST(LogBuilder, sorts_mixed_lines_of_ranks_that_are_not_told) {
    std::vector<Told> mixed;
    for (int step = 2; step < 22; step += 2)
        for (const int one : {step, step - 1, step, step - 1})
            mixed.push_back({one, 100.0 - one});
    const Log log = built(mixed);
    EXPECT_EQ(log.of(Quantity::kLoss).size(), 20U);
    EXPECT_EQ(log.of(Quantity::kLoss).steps.front(), 1);
    EXPECT_EQ(log.of(Quantity::kLoss).values.back(), 80);
    EXPECT_TRUE(log.remarks.empty());
}

TEST(LogBuilder, takes_the_rank_that_tells_most) {
    const Log log = built({{1, 9, 0}, {1, 5, 7}, {2, 4, 7}, {2, 8, 0}, {3, 3, 7}});
    EXPECT_EQ(log.of(Quantity::kLoss).values, (std::vector<double>{5, 4, 3}));
}

TEST(LogBuilder, joins_parts_in_their_order) {
    std::vector<LogBuilder> parts(2);
    for (int64_t step = 1; step < 5; ++step) {
        Record record;
        record.step = step;
        record.set(Quantity::kLoss, 10.0 - static_cast<double>(step));
        if (step % 2 == 0) record.set(Quantity::kGradNorm, 0.5);
        parts[step > 2 ? 1 : 0].add(record);
    }
    Log log;
    LogBuilder::joined(std::move(parts)).finish(log);
    EXPECT_EQ(log.of(Quantity::kLoss).values, (std::vector<double>{9, 8, 7, 6}));
    EXPECT_EQ(log.of(Quantity::kGradNorm).steps, (std::vector<int64_t>{2, 4}));
}

}  // namespace
}  // namespace npuscope::loss
