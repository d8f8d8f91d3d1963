#include <gtest/gtest.h>

#include "loss/formats/format.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

std::string step_line(int step, const std::string& loss) {
    return " [2024-08-01 12:00:00] iteration" + std::string(9, ' ') + std::to_string(step) +
           "/     100 | consumed samples:  " + std::to_string(8 * step) +
           " | elapsed time per iteration (ms): 812.3 | learning rate: 1.500000E-04 | global batch "
           "size:    32 | lm loss: " +
           loss +
           " | loss scale: 65536.0 | grad norm: 3.214 | number of skipped iterations:   0 | number "
           "of "
           "nan iterations:   0 |\n";
}

TEST(MegatronFormat, reads_steps_and_passes_over_validation) {
    const test::TempDir folder;
    test::write_file(
        folder / "m.log",
        "initial_loss_scale .............. 4294967296\n" + step_line(1, "1.050000E+01") +
            " validation loss at iteration 1 | lm loss value: 3.0E+00 | lm loss PPL: 3.1E+01 |\n" +
            step_line(2, "1.040000E+01") + step_line(3, "nan"));
    const Log log = read_log(folder / "m.log");
    EXPECT_EQ(log.format, "megatron");
    EXPECT_EQ(log.loss_name, "lm loss");
    EXPECT_EQ(log.pattern, "");
    const Curve& loss = log.of(Quantity::kLoss);
    EXPECT_EQ(loss.steps, (std::vector<int64_t>{1, 2, 3}));
    EXPECT_EQ(loss.values[1], 10.4);
    EXPECT_NE(loss.values[2], loss.values[2]);
    EXPECT_EQ(log.of(Quantity::kSamples).values, (std::vector<double>{8, 16, 24}));
}

}  // namespace
}  // namespace npuscope::loss
