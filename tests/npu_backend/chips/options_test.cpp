#include "npu_backend/chips/options.h"

#include <fstream>
#include <set>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "npu_backend/chips/device.h"
#include "npu_backend/executor.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

std::string message(const std::string& chip_name, std::vector<std::string> settings) {
    try {
        (void)options_from(chip(chip_name), settings);
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kUsage);
        return error.what();
    }
    return "";
}

TEST(ChipOptions, follow_the_chip) {
    const ChipOptions a = default_options(chip("910A"));
    EXPECT_EQ(a.overflow_mode, OverflowMode::kSaturate);
    EXPECT_EQ(a.precision_mode, PrecisionMode::kAllowFp32ToFp16);
    EXPECT_EQ(a.status_scope, ChipStatusScope::kDevice);
    const ChipOptions c = default_options(chip("950"));
    EXPECT_EQ(c.overflow_mode, OverflowMode::kInfNan);
    EXPECT_EQ(c.hf32_mantissa, 10);
    EXPECT_EQ(c.vec_fma, VectorFma::kFused);
    EXPECT_EQ(default_options(chip("A3")).hf32_mantissa, 11);
}

TEST(ChipOptions, every_choice_can_be_set_and_is_printed) {
    std::set<std::string_view> keys;
    for (const OptionRow& option : all_options()) {
        EXPECT_TRUE(keys.insert(option.key).second) << option.key;
        const Chip& row = chip(option.key.find("910A") != std::string_view::npos ? "910A" : "910B");
        EXPECT_FALSE(option.meaning.empty());
        EXPECT_FALSE(option.values.empty());
        std::vector<std::string> values(option.choices.begin(), option.choices.end());
        if (values.empty() && option.high > 0)
            values = {std::to_string(option.low), std::to_string(option.high)};
        for (const std::string& value : values) {
            ChipOptions options = default_options(row);
            set_option(options, row, option.key, value);
            EXPECT_NE((" " + to_string(options) + " ")
                          .find(" " + std::string(option.key) + "=" + value + " "),
                      std::string::npos)
                << option.key << " " << value;
            set_option(options, row, option.key, "default");
            EXPECT_EQ(options, default_options(row)) << option.key;
        }
    }
}

TEST(ChipOptions, later_settings_win_and_changes_are_told) {
    const std::vector<std::string> settings = {"cube_acc=exact_k", "cube_acc=blk16_exact"};
    const ChipOptions options = options_from(chip("910A"), settings);
    EXPECT_EQ(options.cube_acc, CubeAccumulation::kBlockExact);
    EXPECT_EQ(changes(options, chip("910A")), "cube_acc=blk16_exact");
    EXPECT_EQ(changes(default_options(chip("950")), chip("950")), "");
}

TEST(ChipOptions, are_a_fact_of_each_run) {
    const std::vector<std::string> settings = {"cube_acc=tree16_rne"};
    const auto facts = Executor(Device::npu(chip("910A"), settings)).run_facts();
    EXPECT_EQ(facts.back().first, "options");
    EXPECT_NE(facts.back().second.find("cube_acc=tree16_rne"), std::string::npos);
}

TEST(ChipOptions, rejects_what_is_unknown_with_a_list) {
    EXPECT_NE(message("910A", {"cube=1"}).find("cube_acc, cube_k_block"), std::string::npos);
    EXPECT_NE(message("910A", {"cube_acc=fast"}).find("blk16_exact, seq_rne"), std::string::npos);
    EXPECT_NE(message("910A", {"cube_k_block=-1"}).find("1024"), std::string::npos);
    EXPECT_NE(message("910A", {"cube_k_block=8x"}).find("1024"), std::string::npos);
    EXPECT_NE(message("910A", {"cube_acc"}).find("KEY=VALUE"), std::string::npos);
}

TEST(ChipOptions, rejects_what_a_chip_cannot_do) {
    EXPECT_NE(message("910A", {"overflow_mode=infnan"}).find("only sat"), std::string::npos);
    EXPECT_NE(message("950", {"overflow_mode=sat"}).find("only infnan"), std::string::npos);
    EXPECT_EQ(message("910B", {"overflow_mode=sat"}), "");
    EXPECT_NE(message("950", {"fp32_on_910A=keep"}).find("chip 950 takes it"), std::string::npos);
    EXPECT_NE(message("A3", {"fp32_on_910A_out=float16"}).find("chip A3"), std::string::npos);
    EXPECT_EQ(message("310P", {"fp32_sat_910A=on"}), "");
    EXPECT_NE(message("910B", {"fp32_sat_910A=on"}).find("never saturate"), std::string::npos);
    EXPECT_NE(message("950", {"cube_c_half=on"}).find("no float16 accumulator"), std::string::npos);
}

TEST(ChipOptions, are_read_from_a_json_file) {
    const test::TempDir folder;
    const auto path = folder / "options.json";
    std::ofstream(path) << R"({"cube_acc": "exact_k", "cube_split_k": 2, "vec_ftz": true})";
    EXPECT_EQ(read_settings(path),
              (std::vector<std::string>{"cube_acc=exact_k", "cube_split_k=2", "vec_ftz=on"}));
    std::ofstream(path) << "[1]";
    EXPECT_THROW((void)read_settings(path), Error);
    std::ofstream(path) << R"({"cube_acc": [1]})";
    EXPECT_THROW((void)read_settings(path), Error);
    EXPECT_THROW((void)read_settings(folder / "none.json"), Error);
}

}  // namespace
}  // namespace npuscope
