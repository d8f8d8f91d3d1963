#include <sstream>

#include <gtest/gtest.h>

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

TEST(TerminalReport, keeps_its_lines_about_ops_within_80_columns) {
    const std::string text = report_text("terminal", {.all_ops = true, .options = {}});
    std::istringstream lines(text.substr(0, text.find("ops compared")));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count)
        EXPECT_LE(line.size(), 80u) << line;
    EXPECT_GT(count, 20);
}

TEST(TerminalReport, tells_of_arguments_that_differ_in_ops_it_does_not_list) {
    Result result = small_result();
    result.ops[0].arguments = {{"eps", "0.001", "1e-05"}};
    const std::string text = report_named("terminal").write(result, {.options = {}});
    EXPECT_NE(text.find("arguments differ in 1 ops that are not listed, first /relu/1: eps 0.001, "
                        "golden 1e-05\n"),
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
