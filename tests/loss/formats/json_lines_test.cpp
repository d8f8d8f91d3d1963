#include <gtest/gtest.h>

#include "loss/formats/format.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

TEST(JsonLinesFormat, reads_an_object_a_line_and_tells_of_the_one_that_is_cut_off) {
    const test::TempDir folder;
    test::write_file(
        folder / "trainer_log.jsonl",
        "{\"current_steps\": 5, \"total_steps\": 15, \"loss\": 2.5, \"lr\": 1e-4, \"epoch\": 0.1}\n"
        "{\"current_steps\": 10, \"total_steps\": 15, \"eval_loss\": 9.0, \"epoch\": 0.2}\n"
        "{\"current_steps\": 10, \"total_steps\": 15, \"loss\": NaN, \"lr\": 5e-5}\n"
        "{\"current_steps\": 15, \"total_st");
    const Log log = read_log(folder / "trainer_log.jsonl");
    EXPECT_EQ(log.format, "json_lines");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{5, 10}));
    EXPECT_EQ(log.of(Quantity::kLearningRate).values, (std::vector<double>{1e-4, 5e-5}));
    ASSERT_EQ(log.remarks.size(), 1U);
    EXPECT_NE(log.remarks[0].find("cut off"), std::string::npos);
}

}  // namespace
}  // namespace npuscope::loss
