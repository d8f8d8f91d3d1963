#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "loss/formats/format.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

TEST(TrainerStateFormat, reads_training_entries_and_python_s_nan) {
    const test::TempDir folder;
    test::write_file(folder / "trainer_state.json",
                     R"({"best_metric": null, "epoch": 1.0, "log_history": [
      {"epoch": 0.1, "grad_norm": 3.25, "learning_rate": 4.5e-05, "loss": 2.5, "step": 10},
      {"epoch": 0.1, "eval_loss": 9.5, "eval_runtime": 1.0, "step": 10},
      {"epoch": 0.2, "grad_norm": NaN, "learning_rate": 4e-05, "loss": NaN, "step": 20},
      {"epoch": 0.3, "grad_norm": 1.5, "learning_rate": 3e-05, "loss": 0.0, "step": 30},
      {"epoch": 0.3, "step": 30, "total_flos": 1e15, "train_loss": 1.7, "train_runtime": 9.0}],
      "max_steps": 30, "name": "NaN stays a word here"})");
    const Log log = read_log(folder / "trainer_state.json");
    EXPECT_EQ(log.format, "trainer_state");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{10, 20, 30}));
    EXPECT_EQ(log.of(Quantity::kLoss).values[0], 2.5);
    EXPECT_TRUE(std::isnan(log.of(Quantity::kLoss).values[1]));
    EXPECT_EQ(log.of(Quantity::kLoss).values[2], 0.0);
    EXPECT_EQ(log.of(Quantity::kLearningRate).values, (std::vector<double>{4.5e-05, 4e-05, 3e-05}));
}

TEST(TrainerStateFormat, rejects_one_that_is_cut_off) {
    const test::TempDir folder;
    test::write_file(folder / "t.json", R"({"log_history": [{"loss": 2.5, "step": 10}, {"lo)");
    EXPECT_THROW(static_cast<void>(read_log(folder / "t.json")), Error);
}

}  // namespace
}  // namespace npuscope::loss
