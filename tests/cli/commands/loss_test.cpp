#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::RunResult;

RunResult compare_losses(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {test::program("npuscope"), "loss"});
    return test::run(arguments);
}

// A loss that falls from 10, with a scatter that is the same in every run, and what is added from a
// step on.
std::string falling(int steps, int from, double added) {
    std::string text = "step,loss\n";
    for (int i = 1; i <= steps; ++i) {
        const double scatter = 0.02 * std::sin(12.9898 * i);
        const double loss = 5 + 5 / (1 + 0.05 * i) + scatter + (i >= from ? added : 0);
        text += std::to_string(i) + "," + std::to_string(loss) + "\n";
    }
    return text;
}

TEST(LossCommand, exits_with_0_when_the_losses_are_identical) {
    const test::TempDir folder;
    test::write_file(folder / "a.csv", falling(40, 99, 0));
    const RunResult result = compare_losses({folder / "a.csv", folder / "a.csv"});
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_NE(result.out.find("The same loss at all 40 common steps"), std::string::npos);
    EXPECT_EQ(result.err, "");
}

TEST(LossCommand, names_the_step_at_which_two_runs_part) {
    const test::TempDir folder;
    test::write_file(folder / "a.csv", falling(40, 99, 0));
    struct Expected {
        int from;
        const char* name;
    };
    for (const auto& [from, name] : {Expected{1, "start"}, {2, "update"}, {20, "from_step"}}) {
        test::write_file(folder / "b.csv", falling(40, from, 0.15));
        const RunResult result = compare_losses({folder / "a.csv", folder / "b.csv", "--json"});
        EXPECT_EQ(result.exit_code, 1);
        const auto json = nlohmann::json::parse(result.out);
        EXPECT_TRUE(json["found"]);
        EXPECT_EQ(json["targets"][0]["class"], name) << from;
        EXPECT_EQ(json["targets"][0]["step"], from);
        EXPECT_FALSE(json["targets"][0]["capture"].is_null());
    }
}

TEST(LossCommand, judges_several_targets_by_one_golden) {
    const test::TempDir folder;
    test::write_file(folder / "a.csv", falling(40, 99, 0));
    test::write_file(folder / "b.csv", falling(40, 20, 0.15));
    const RunResult result =
        compare_losses({folder / "a.csv", folder / "a.csv", folder / "b.csv", "--json"});
    EXPECT_EQ(result.exit_code, 1);
    const auto json = nlohmann::json::parse(result.out);
    EXPECT_EQ(json["targets"][0]["class"], "identical");
    EXPECT_EQ(json["targets"][1]["class"], "from_step");
}

TEST(LossCommand, takes_its_noise_from_like_runs_where_they_are_given) {
    const test::TempDir folder;
    test::write_file(folder / "a.csv", falling(40, 99, 0));
    test::write_file(folder / "b.csv", falling(40, 1, 0.15));
    test::write_file(folder / "like.csv", falling(40, 1, -0.1));
    EXPECT_EQ(compare_losses({folder / "a.csv", folder / "b.csv"}).exit_code, 1);
    const RunResult result = compare_losses(
        {folder / "a.csv", folder / "b.csv", "--like", folder / "like.csv", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_EQ(nlohmann::json::parse(result.out)["targets"][0]["class"], "noise");
}

TEST(LossCommand, echoes_no_control_characters_of_a_log) {
    const test::TempDir folder;
    const std::string evil = "step,run \x1b[2J\x07 - loss\n1,2.5\n2,2.25\n";
    test::write_file(folder / "a\x1b[2J.csv", evil);
    for (const char* form : {"--json", "--plot"}) {
        const RunResult result =
            compare_losses({folder / "a\x1b[2J.csv", folder / "a\x1b[2J.csv", form});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << result.out;
        EXPECT_EQ(result.out.find('\x07'), std::string::npos);
    }
}

// Such a line of 1 GB is read alike; 64 MB keep the test short.
TEST(LossCommand, passes_over_a_line_without_end) {
    const test::TempDir folder;
    test::write_file(
        folder / "a.log",
        "step 1 loss 2.5\n" + std::string(1 << 26, 'x') + " loss 3\nstep 2 loss 2.25\n");
    const RunResult result = compare_losses({folder / "a.log", folder / "a.log"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("2 records, steps 1 to 2"), std::string::npos) << result.out;
    test::write_file(folder / "b.log", std::string(1 << 26, 'l'));
    const RunResult nothing = compare_losses({folder / "b.log", folder / "b.log"});
    EXPECT_EQ(nothing.exit_code, 2);
    EXPECT_NE(nothing.err.find("tells no loss"), std::string::npos);
}

TEST(LossCommand, writes_a_picture_and_a_page) {
    const test::TempDir folder;
    test::write_file(folder / "a.csv", falling(40, 99, 0));
    test::write_file(folder / "b.csv", falling(40, 20, 0.15));
    const RunResult result = compare_losses({folder / "a.csv",
                                             folder / "b.csv",
                                             "--svg",
                                             folder / "x.svg",
                                             "--html",
                                             folder / "x.html"});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_EQ(test::read_file(folder / "x.svg").substr(0, 4), "<svg");
    EXPECT_NE(test::read_file(folder / "x.html").find("</html>"), std::string::npos);
    const RunResult several = compare_losses(
        {folder / "a.csv", folder / "b.csv", folder / "a.csv", "--svg", folder / "y.svg"});
    EXPECT_EQ(several.exit_code, 2);
}

TEST(LossCommand, rejects_what_it_cannot_judge_in_one_line) {
    const test::TempDir folder;
    test::write_file(folder / "a.csv", falling(40, 99, 0));
    test::write_file(folder / "empty.log", "");
    test::write_file(folder / "binary.log",
                     std::string("\x7f"
                                 "ELF\0\0loss 1",
                                 13));
    test::write_file(folder / "later.csv", "step,loss\n100,2.5\n101,2.4\n");
    test::write_file(folder / "prose.log", "\x1b]0;evil\x07 no numbers: loss\n");
    struct Expected {
        std::string file;
        const char* words;
    };
    for (const auto& [file, words] :
         {Expected{"empty.log", "is empty"},
          {"binary.log", "is binary"},
          {"none.log", "cannot open"},
          {".", "is a folder"},
          {"prose.log", "tells no loss"},
          {"later.csv", "no step in common (steps 1 to 40 and 100 to 101)"}}) {
        const RunResult result = compare_losses({folder / "a.csv", folder / file});
        EXPECT_EQ(result.exit_code, 2) << file;
        EXPECT_EQ(result.out, "");
        EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    }
    const RunResult wrong =
        compare_losses({folder / "a.csv", folder / "a.csv", "--precision", "int8"});
    EXPECT_EQ(wrong.exit_code, 2);
}

}  // namespace
}  // namespace npuscope
