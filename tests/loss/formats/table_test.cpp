#include <gtest/gtest.h>

#include "core/base/error.h"
#include "loss/formats/format.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

Log log_of_table(const std::string& text) {
    const test::TempDir folder;
    test::write_file(folder / "x.csv", text);
    return read_log(folder / "x.csv");
}

TEST(TableFormat, reads_columns_by_their_names) {
    const Log log =
        log_of_table("epoch,Step,val_loss,train/loss,lr\r\n0,1,9,2.5,0.1\r\n0,2,9,nan,0.05\r\n0,3");
    EXPECT_EQ(log.format, "table");
    EXPECT_EQ(log.loss_name, "train/loss");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(log.of(Quantity::kLearningRate).values, (std::vector<double>{0.1, 0.05}));
    ASSERT_EQ(log.remarks.size(), 1U);
}

TEST(TableFormat, reads_exports_of_tensorboard_and_of_weights_and_biases) {
    EXPECT_EQ(
        log_of_table("Wall time,Step,Value\n1.5e9,7,2.5\n1.6e9,8,2.25\n").of(Quantity::kLoss).steps,
        (std::vector<int64_t>{7, 8}));
    const Log log = log_of_table(
        "\"Step\",\"run \"\"a\"\" - train/loss\",\"run a - train/loss__MIN\"\n"
        "\"1\",\"2.5\",\"2.0\"\n");
    EXPECT_EQ(log.of(Quantity::kLoss).values, (std::vector<double>{2.5}));
}

TEST(TableFormat, reads_steps_and_losses_without_names) {
    EXPECT_EQ(log_of_table("1 8.5\n2 7.25\n").of(Quantity::kLoss).values,
              (std::vector<double>{8.5, 7.25}));
    EXPECT_EQ(log_of_table("8.5\n7.25\n").of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(log_of_table("step;loss\n1;8.5\n").of(Quantity::kLoss).values,
              (std::vector<double>{8.5}));
    EXPECT_EQ(log_of_table("step\tloss\n1\t8.5\n").of(Quantity::kLoss).values,
              (std::vector<double>{8.5}));
}

TEST(TableFormat, leaves_prose_to_other_formats) {
    EXPECT_EQ(
        log_of_table("step, loss and other words\nstep 1 loss 2.5\nstep 2 loss 2.25\n").format,
        "text");
    EXPECT_THROW(static_cast<void>(log_of_table("loss\nno\nnumbers\nhere\n")), Error);
}

}  // namespace
}  // namespace npuscope::loss
