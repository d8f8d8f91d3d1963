#include <sstream>

#include <gtest/gtest.h>

#include "compare/report/terminal/layout.h"
#include "tests/compare/report/small_result.h"

namespace npuscope::compare {
namespace {

TEST(TerminalReport, is_the_approved_text) {
    EXPECT_EQ(report_text("terminal"), approved("small.txt"));
}

TEST(TerminalReport, shows_all_ops_when_asked_and_the_worst_first) {
    const std::string text =
        report_text("terminal", {.worst_first = true, .all_ops = true, .options = {}});
    EXPECT_NE(text.find("/relu/1"), std::string::npos);
    EXPECT_LT(text.find("/addmm/2"), text.find("/zeros/4"));
    EXPECT_LT(text.find("/only/10"), text.find("/zeros/4"));
    EXPECT_LT(text.find("/bmm/11"), text.find("/zeros/4"));
}

TEST(TerminalReport, keeps_its_lines_within_80_columns) {
    for (const bool all : {false, true}) {
        std::istringstream lines(report_text("terminal", {.all_ops = all, .options = {}}));
        for (std::string line; std::getline(lines, line);)
            EXPECT_LE(width_of(line), 80u) << line;
    }
}

TEST(TerminalReport, tells_of_the_table_of_ops_only_when_asked) {
    EXPECT_EQ(report_text("terminal").find("max|t-g|  "), std::string::npos);
    EXPECT_EQ(report_text("terminal").find("/zeros/4"), std::string::npos);
    EXPECT_NE(report_text("terminal", {.all_ops = true, .options = {}}).find("/zeros/4"),
              std::string::npos);
}

TEST(TerminalReport, tells_the_golden_s_arithmetic_where_it_is_another) {
    Result result;
    result.arithmetic = {
        "target, matrix products (float32): fp16 inputs, fp32 sums (9 of 9 sampled)",
        "target, other ops (float32): fp32 (4 of 4 sampled)",
        "golden, matrix products (float32): fp32 (9 of 9 sampled)",
        "golden, other ops (float32): fp32 (3 of 3 sampled)"};
    const std::string text = report_named("terminal").write(result, {.options = {}});
    EXPECT_NE(text.find("  matrix products (float32): fp16 inputs, fp32 sums (9 of 9 sampled)\n"
                        "    golden: fp32 (9 of 9 sampled)\n"
                        "  other ops (float32): fp32 (4 of 4 sampled)\n\n"),
              std::string::npos)
        << text;
}

TEST(TerminalReport, tells_the_spans_that_were_compared_and_those_that_could_not_be) {
    const auto told = [](const std::vector<std::optional<double>>& exits) {
        Result result;
        for (const auto& exit : exits)
            result.spans.emplace_back().exit = exit;
        const std::string text = report_named("terminal").write(result, {.options = {}});
        const size_t at = text.find(" span") - 1;
        return text.substr(at, text.find("verdict") - at);
    };
    EXPECT_EQ(told({2e-7}),
              "1 span of other ops, compared at the ends: max|t-g| at most 2e-07 max|g| there\n");
    EXPECT_EQ(told({{}}), "1 span of other ops; nothing that pairs takes in what it gives\n");
    EXPECT_EQ(told({2e-7, {}, 1e-7}),
              "3 spans of other ops, 2 compared at the ends: max|t-g| at most 2e-07 max|g|\n"
              "  there; nothing that pairs takes in what 1 gives\n");
}

TEST(TerminalReport, has_no_heading_over_no_arithmetic_of_the_target_s) {
    Result result;
    result.arithmetic = {"golden, other ops (float32): fp32 (3 of 3 sampled)"};
    EXPECT_EQ(report_named("terminal").write(result, {.options = {}}).find("arithmetic"),
              std::string::npos);
}

TEST(TerminalReport, tells_of_arguments_that_differ_in_ops_without_a_finding) {
    Result result = small_result();
    result.ops[0].arguments = {{"eps", "0.001", "1e-05"}};
    const std::string text = report_named("terminal").write(result, {.options = {}});
    EXPECT_NE(
        text.find("arguments differ in 1 op without a finding, first /relu/1: eps 0.001, golden\n"
                  "  1e-05\n"),
        std::string::npos)
        << text;
}

TEST(TerminalReport, tells_of_errors_whose_origin_nobody_can_judge) {
    Result result = small_result();
    result.ops[0].origin = "/dropout/0 made its input self, and nobody can judge that op";
    const std::string text = report_named("terminal").write(result, {.options = {}});
    EXPECT_NE(text.find("the errors of 1 op came from ops that nobody can judge, first /relu/1:\n"
                        "  /dropout/0 made its input self, and nobody can judge that op\n"),
              std::string::npos)
        << text;
}

TEST(TerminalReport, has_colours_only_when_asked) {
    EXPECT_EQ(report_text("terminal").find('\x1b'), std::string::npos);
    EXPECT_NE(report_text("terminal", {.color = true, .options = {}}).find("\x1b[31m"),
              std::string::npos);
}

TEST(TerminalReport, says_that_nothing_was_compared) {
    const std::string text = report_named("terminal").write(Result{}, {.options = {}});
    EXPECT_NE(text.find("verdict: nothing compared"), std::string::npos);
}

}  // namespace
}  // namespace npuscope::compare
