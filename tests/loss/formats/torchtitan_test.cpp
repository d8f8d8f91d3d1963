#include <gtest/gtest.h>

#include "loss/formats/format.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

TEST(TorchtitanFormat, reads_coloured_lines_of_one_of_several_ranks) {
    const test::TempDir folder;
    const auto line = [](int rank, int step, const char* loss) {
        return "[rank" + std::to_string(rank) +
               "]:[titan] 2025-01-01 10:00:00,123 - root - INFO - \x1b[31mstep: " +
               (step < 10 ? " " : "") + std::to_string(step) + "  \x1b[32mloss: " + loss +
               "  \x1b[38;2;180;60;0mgrad_norm:  1.2345  \x1b[38;2;54;234;195mmemory:  "
               "0.50GiB(1.05%)  "
               "\x1b[34mtps: 14,120  \x1b[36mtflops: 1.01  \x1b[35mmfu: 0.32%\x1b[39m\n";
    };
    test::write_file(
        folder / "t.log",
        line(1, 1, " 8.1000") + line(0, 1, " 8.1234") + line(0, 10, " 7.5000") +
            "[rank0]:[titan] - INFO - validate step: 10  loss:  9.9000  memory: 0.5GiB  tps: 9\n" +
            line(1, 10, " 7.4000") + line(0, 11, " 7.2500"));
    const Log log = read_log(folder / "t.log");
    EXPECT_EQ(log.format, "torchtitan");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 10, 11}));
    EXPECT_EQ(log.of(Quantity::kLoss).values, (std::vector<double>{8.1234, 7.5, 7.25}));
    EXPECT_EQ(log.of(Quantity::kGradNorm).values[0], 1.2345);
    ASSERT_EQ(log.remarks.size(), 1U);
    EXPECT_EQ(log.remarks[0], "2 ranks tell their loss; rank 0 counts");
}

}  // namespace
}  // namespace npuscope::loss
