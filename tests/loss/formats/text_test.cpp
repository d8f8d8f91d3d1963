#include <gtest/gtest.h>

#include "core/base/error.h"
#include "loss/formats/format.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

Log log_of(const std::string& text) {
    const test::TempDir folder;
    test::write_file(folder / "x.log", text);
    return read_log(folder / "x.log");
}

TEST(TextFormat, shows_the_pattern_that_it_guessed) {
    const Log log = log_of(
        "hello\n[10:00:01] Step 5, train loss = 2.50, lr = 1e-3\n"
        "[10:00:02] Step 6, train loss = 2.25, lr = 1e-3\n");
    EXPECT_EQ(log.format, "text");
    EXPECT_EQ(log.pattern, "step after 'Step', loss after 'train loss', learning rate after 'lr'");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{5, 6}));
    EXPECT_EQ(log.of(Quantity::kLoss).values, (std::vector<double>{2.5, 2.25}));
}

TEST(TextFormat, counts_records_without_a_step) {
    const Log log = log_of(
        "{'loss': 2.5, 'grad_norm': 1.5, 'learning_rate': 5e-05, 'epoch': 0.01}\n"
        "{'loss': 2.4, 'grad_norm': 1.4, 'learning_rate': 5e-05, 'epoch': 0.02}\n"
        "{'eval_loss': 9.0, 'epoch': 0.02}\n");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(log.of(Quantity::kGradNorm).values, (std::vector<double>{1.5, 1.4}));
    ASSERT_EQ(log.remarks.size(), 1U);
    EXPECT_EQ(log.remarks[0], "no step numbers: the records are counted from 1");
}

TEST(TextFormat, reads_what_a_terminal_would_show) {
    const Log log = log_of(
        "\x1b[32mstep 1\x1b[0m loss \x1b[1m2.5\x1b[0m\r\nstep 2 loss 2.4\rstep 3 loss 2.3\r\n"
        "step 4 loss 2.");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(TextFormat, rejects_a_text_without_loss_in_one_line) {
    try {
        static_cast<void>(log_of("lossless\nno number: loss\n"));
        FAIL() << "read";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kFormat);
        EXPECT_NE(std::string(error.what()).find("tells no loss"), std::string::npos);
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace npuscope::loss
