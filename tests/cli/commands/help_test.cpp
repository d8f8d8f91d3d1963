#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::RunResult;

RunResult help(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {test::program("npuscope"), "help"});
    return test::run(arguments);
}

TEST(HelpCommand, lists_its_topics) {
    const RunResult result = help({});
    EXPECT_EQ(result.exit_code, 0);
    for (const char* topic : {"aliases",
                              "chips",
                              "detectors",
                              "dtypes",
                              "formats",
                              "kernels",
                              "metrics",
                              "ops",
                              "options",
                              "rules",
                              "tolerances",
                              "verdict-rules",
                              "verdicts"})
        EXPECT_NE(result.out.find(std::string("  ") + topic + " "), std::string::npos) << topic;
}

TEST(HelpCommand, each_topic_prints_rows_in_every_form) {
    const test::TempDir folder;
    for (const auto& [topic, row] :
         std::vector<std::pair<std::string, std::string>>{{"aliases", "conv2d"},
                                                          {"chips", "910A"},
                                                          {"detectors", "headroom"},
                                                          {"dtypes", "float16"},
                                                          {"formats", "FRACTAL_Z"},
                                                          {"kernels", "MatMul"},
                                                          {"metrics", "cosine_similarity"},
                                                          {"ops", "addmm"},
                                                          {"options", "cube_acc"},
                                                          {"tolerances", "hf32"},
                                                          {"verdict-rules", "within_bound"},
                                                          {"verdicts", "mistrusted"},
                                                          {"run", "--check-overflow"}}) {
        EXPECT_NE(help({topic}).out.find(row + "\n"), std::string::npos) << topic;
        EXPECT_NE(help({topic, "--markdown"}).out.find("\n| " + row + " |"), std::string::npos)
            << topic;
        test::write_file(folder / "rows.json", help({topic, "--json"}).out);
        const RunResult parsed = test::run_python(
            "import json, sys; rows = json.load(open(sys.argv[1]));"
            "print(any(list(row.values())[0] == sys.argv[2] for row in rows))",
            {folder / "rows.json", row});
        EXPECT_EQ(parsed.out, "True\n") << topic << parsed.err;
    }
}

TEST(HelpCommand, chips_shows_every_option_with_its_grade) {
    const std::string text = help({"chips"}).out;
    for (const char* part :
         {"910A\n", "\n310P\n", "\n950\n", "\ncube_acc\n", "\nprecision_mode\n", " U\n", " A+\n"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
    EXPECT_NE(help({"chips", "--markdown"}).out.find("## options"), std::string::npos);
}

TEST(HelpCommand, verdicts_shows_the_rules_in_the_order_in_which_they_apply) {
    const std::string text = help({"verdicts", "--markdown"}).out;
    EXPECT_NE(text.find("| fail | beyond what honest arithmetic makes"), std::string::npos);
    EXPECT_LT(text.find("## verdict-rules"), text.find("| nonfinite_differs | fail |"));
    EXPECT_LT(text.find("| nonfinite_differs | fail |"), text.find("| within_bound | pass |"));
}

TEST(HelpCommand, a_command_shows_its_own_options_only) {
    const std::string text = help({"compare", "--markdown"}).out;
    EXPECT_NE(text.find("| -m, --target | TEXT |  | the side under test"), std::string::npos);
    EXPECT_NE(text.find("| --tolerance-factor | FLOAT:POSITIVE | 1 |"), std::string::npos);
    EXPECT_EQ(text.find("--json"), std::string::npos);
}

TEST(HelpCommand, a_terminal_table_keeps_to_a_hundred_columns) {
    const RunResult result = help({"detectors"});
    size_t start = 0;
    while (start < result.out.size()) {
        const size_t end = result.out.find('\n', start);
        EXPECT_LE(end - start, 100U) << result.out.substr(start, end - start);
        start = end + 1;
    }
}

TEST(HelpCommand, rejects_an_unknown_topic_and_lists_the_known) {
    const RunResult result = help({"nothing"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("detectors"), std::string::npos);
}

TEST(UsageErrors, name_the_first_of_many_unexpected_arguments) {
    std::vector<std::string> command = {test::program("npuscope"), "inspect", "a.h5"};
    for (int i = 0; i < 1000; ++i)
        command.push_back("dump_of_rank_" + std::to_string(i) + ".h5");
    const RunResult result = test::run(command);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("dump_of_rank_9"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find(" more); see npuscope inspect --help"), std::string::npos)
        << result.err;
    EXPECT_LT(result.err.size(), 400U);
}

}  // namespace
}  // namespace npuscope
