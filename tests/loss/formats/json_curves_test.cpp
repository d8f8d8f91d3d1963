#include <cmath>

#include <gtest/gtest.h>

#include "loss/formats/format.h"
#include "tests/support/support.h"

namespace npuscope::loss {
namespace {

Log log_of_json(const std::string& text) {
    const test::TempDir folder;
    test::write_file(folder / "x.json", text);
    return read_log(folder / "x.json");
}

TEST(JsonCurvesFormat, reads_values_by_step_in_the_order_of_numbers) {
    const Log log = log_of_json(
        R"({"lm loss": {"start_step": 1, "end_step": 10, "step_interval": 5,
            "values": {"1": "nan", "10": 9.5, "5": 10.25}}, "num-zeros": {"values": {"1": 3, "5": 4}},
            "iteration-time": {"values": {"1": 10.0}}})");
    EXPECT_EQ(log.format, "json_curves");
    EXPECT_EQ(log.loss_name, "lm loss");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 5, 10}));
    EXPECT_TRUE(std::isnan(log.of(Quantity::kLoss).values[0]));
    EXPECT_EQ(log.of(Quantity::kLoss).values[2], 9.5);
    EXPECT_EQ(log.of(Quantity::kZeros).values, (std::vector<double>{3, 4}));
}

TEST(JsonCurvesFormat, reads_the_older_layout_of_lists) {
    const Log log = log_of_json(
        R"({"lm loss": {"start_step": 0, "end_step": 34, "step_interval": 5, "values": [10.7, 10.5]}})");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{0, 5}));
}

TEST(JsonCurvesFormat, reads_lists_that_count_from_1) {
    const Log log = log_of_json(
        R"({"lm loss margin": 0.02, "lm loss": [12.25, 11.5], "grad norm": [3.5, 2.5],
            "memo info": [{"rank": 0, "allocated memory": 1.5}]})");
    EXPECT_EQ(log.of(Quantity::kLoss).steps, (std::vector<int64_t>{1, 2}));
    EXPECT_EQ(log.of(Quantity::kGradNorm).values, (std::vector<double>{3.5, 2.5}));
}

TEST(JsonCurvesFormat, reads_lists_of_objects_and_bare_numbers_by_step) {
    EXPECT_EQ(log_of_json(R"([{"step": 3, "loss": 2.5}, {"step": 4, "loss": Infinity}])")
                  .of(Quantity::kLoss)
                  .steps,
              (std::vector<int64_t>{3, 4}));
    EXPECT_EQ(log_of_json(R"({"2": 2.25, "1": 2.5})").of(Quantity::kLoss).values,
              (std::vector<double>{2.5, 2.25}));
}

}  // namespace
}  // namespace npuscope::loss
