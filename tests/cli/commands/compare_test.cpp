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
    EXPECT_NE(result.out.find("first op over its tolerance: /Addmm/3"), std::string::npos);
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
