// npuscope compare, as a program.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::test {
namespace {

std::filesystem::path recorded(const std::string& name) {
    return source_dir() / "tests/golden/msaccucmp/dump_mode" / name;
}

RunResult compare(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {program("npuscope"), "compare"});
    return run(arguments);
}

TEST(CompareCommand, finds_differences_and_names_the_first) {
    const RunResult result =
        compare({"-m", recorded("my.h5").string(), "-g", recorded("golden.h5").string()});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.out.find("first culprit: "), std::string::npos);
    EXPECT_EQ(result.err, "");
}

TEST(CompareCommand, passes_a_file_against_itself_but_for_what_proves_nothing) {
    const auto path = source_dir() / "tests/golden/msaccucmp/stride/my.h5";
    EXPECT_EQ(compare({"-m", path.string(), "-g", path.string()}).exit_code, 0);
}

TEST(CompareCommand, prints_one_json_object) {
    const RunResult result =
        compare({"--json", "-m", recorded("my.h5").string(), "-g", recorded("golden.h5").string()});
    EXPECT_EQ(result.exit_code, 1);
    const TempDir folder;
    write_file(folder / "r.json", result.out);
    EXPECT_EQ(run_python("import json,sys; assert json.load(open(sys.argv[1]))['ops']",
                         {(folder / "r.json").string()})
                  .exit_code,
              0);
}

TEST(CompareCommand, writes_reports_and_takes_a_tolerance) {
    const TempDir folder;
    const RunResult result = compare({"-m",
                                      recorded("my.h5").string(),
                                      "-g",
                                      recorded("golden.h5").string(),
                                      "--tolerance",
                                      "0.25",
                                      "-o",
                                      (folder / "out").string()});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_TRUE(std::filesystem::exists(folder / "out/result.csv"));
    EXPECT_NE(read_file(folder / "out/verdicts.json").find("given 0.25"), std::string::npos);
}

/// A folder with one algorithm, whose function holds `line`.
void write_algorithm(const std::filesystem::path& folder, const std::string& line) {
    std::filesystem::create_directories(folder / "algorithm");
    write_file(folder / "algorithm/alg_Spread.py",
               "import os, time\ndef compare(my, golden, params):\n    " + line + "\n");
}

TEST(CompareCommand, adds_the_columns_of_custom_algorithms) {
    const TempDir folder;
    write_algorithm(folder.path(), "return '=%.2f' % abs(my - golden).max(), 'as, it \"is\"'");
    const std::vector<std::string> arguments = {"-m",
                                                recorded("my.h5").string(),
                                                "-g",
                                                recorded("golden.h5").string(),
                                                "--custom",
                                                folder.path().string(),
                                                "-o",
                                                (folder / "out").string()};
    const RunResult result = compare(arguments);
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("max|t-g|  Spread\n"), std::string::npos) << result.out;
    EXPECT_EQ(run_python(R"(
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/result.csv", newline="")))
row = next(row for row in rows if row["target"] == "/Addmm/3/output/out")
assert row["custom:Spread"] == "'=0.00", row
assert row["custom:Spread:reason"] == 'as, it "is"', row
assert all(len(row) == len(rows[0]) and None not in row for row in rows)
one_sided = [row for row in rows if not row["golden"]]
assert one_sided and all(row["custom:Spread"] == "" for row in one_sided)
ops = json.load(open(sys.argv[1] + "/verdicts.json"))["ops"]
tensors = {tensor["target"]: tensor for op in ops for tensor in op["tensors"]}
assert tensors["/Addmm/3/output/out"]["custom"] == {"Spread": {"value": "=0.00", "reason": 'as, it "is"'}}
)",
                         {(folder / "out").string()})
                  .err,
              "");
}

TEST(CompareCommand, runs_custom_algorithms_on_arrays) {
    const TempDir folder;
    write_algorithm(folder.path(), "return str(my.size), params.my_output_dump_file");
    ASSERT_EQ(run_python("import numpy, sys; numpy.savez(sys.argv[1], a=numpy.ones(5, 'f4'))",
                         {(folder / "x.npz").string()})
                  .exit_code,
              0);
    const std::string path = (folder / "x.npz").string();
    const RunResult result =
        compare({"--json", "-m", path, "-g", path, "--custom", folder.path().string()});
    EXPECT_NE(result.out.find("\"value\": \"5\""), std::string::npos) << result.out << result.err;
}

TEST(CompareCommand, stops_when_custom_algorithms_cannot_go_on) {
    const TempDir folder;
    const auto problem = [&](std::vector<std::string> more) {
        more.insert(more.end(),
                    {"-m", recorded("my.h5").string(), "-g", recorded("golden.h5").string()});
        const RunResult result = compare(more);
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
        return result.err;
    };
    const std::string custom = folder.path().string();
    EXPECT_NE(problem({"--custom", custom}).find("no folder 'algorithm'"), std::string::npos);
    write_algorithm(folder.path(), "os._exit(4)");
    EXPECT_NE(problem({"--custom", custom}).find("exit code 4"), std::string::npos);
    write_algorithm(folder.path(), "time.sleep(1000)");
    EXPECT_NE(problem({"--custom", custom, "--custom-timeout", "1.5"}).find("in time"),
              std::string::npos);
}

TEST(CompareCommand, rejects_missing_files_other_kinds_and_bad_options_in_one_line) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"-m", "no.h5", "-g", "no.h5"},
          {"-m", "a.txt", "-g", "b.txt"},
          {"-m", recorded("my.h5").string()},
          {"-m", recorded("my.h5").string(), "-g", recorded("case.json").string()},
          {"-m",
           recorded("my.h5").string(),
           "-g",
           recorded("my.h5").string(),
           "--tolerance",
           "-1"}}) {
        const RunResult result = compare(arguments);
        EXPECT_EQ(result.exit_code, 2);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    }
}

}  // namespace
}  // namespace npuscope::test
