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

// Of finite elements that differ; terminals do not show it.
TEST(CompareCommand, json_has_the_divergence_unless_told_otherwise) {
    const TempDir folder;
    const auto made = run_python(
        "import sys, numpy as np\n"
        "for side, off in (('m', 0.5), ('g', 0)):\n"
        "    np.save(sys.argv[1] + '/' + side + '.npy', np.float32([1, 2 + off, 4, 3]))\n",
        {folder.path().string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto divergence = [&](const std::vector<std::string>& options) {
        std::vector<std::string> words = {"--json", "-m", folder / "m.npy", "-g", folder / "g.npy"};
        words.insert(words.end(), options.begin(), options.end());
        return run_python(
                   "import json, sys; print(json.loads(sys.argv[1])['ops'][0]['tensors'][0]"
                   "['metrics']['kullback_leibler_divergence'])",
                   {compare(words).out})
            .out;
    };
    EXPECT_GT(std::stod(divergence({})), 0);
    EXPECT_EQ(divergence({"--no-kl"}), "nan\n");
}

TEST(CompareCommand, the_next_command_can_be_copied_into_a_shell) {
    const TempDir folder;
    const std::string odd = folder / "my $(touch hacked) 'dump'.h5";
    std::filesystem::copy_file(recorded("my.h5"), odd);
    const RunResult result = compare({"--json", "-m", odd, "-g", recorded("golden.h5").string()});
    EXPECT_EQ(result.exit_code, 1);
    const RunResult command = run_python(
        "import json, sys; print(json.loads(sys.argv[1])['culprits'][0]['next'])", {result.out});
    ASSERT_EQ(command.out.rfind("npuscope inspect ", 0), 0U) << command.out << command.err;
    const std::string with_path = program("npuscope") + command.out.substr(8);
    const RunResult next = run({"bash", "-c", with_path}, folder.path());
    EXPECT_EQ(next.exit_code, 0) << with_path << next.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "hacked"));
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

/// A transformer's digits, run by npuscope.
std::string digits_on(const TempDir& folder, const std::string& device, const std::string& chip) {
    const std::string dump = (folder / (device + chip + ".h5")).string();
    const RunResult result = run({program("npuscope"),
                                  "run",
                                  models() + "/digits_vit.onnx",
                                  "--device",
                                  device,
                                  "--chip",
                                  chip,
                                  "--dump",
                                  dump,
                                  "-q"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return dump;
}

TEST(CompareCommand, finds_arithmetic_that_is_not_the_chips_once) {
    const TempDir folder;
    const std::string target = digits_on(folder, "npu", "910A");
    const std::string golden = digits_on(folder, "cpu", "910A");
    EXPECT_EQ(compare({"-m", target, "-g", golden, "--chip", "910A"}).exit_code, 0);
    const RunResult result = compare({"-m", target, "-g", golden, "--chip", "910B"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.out.find("first culprit: arithmetic of the target, from /mm/1"),
              std::string::npos)
        << result.out;
    EXPECT_EQ(result.out.find("other findings"), std::string::npos);
    const RunResult json =
        compare({"-m", target, "-g", golden, "--target-class", "fp32", "--json"});
    write_file(folder / "r.json", json.out);
    const RunResult read = run_python(
        "import json,sys\n"
        "r=json.load(open(sys.argv[1]))\n"
        "(c,)=r['contradictions']\n"
        "assert (c['ops'],c['found'],c['expected'],c['because'],c['expected_explains'])=="
        "('matrix products (float32)','fp16 inputs, fp32 sums','fp32',None,0)\n"
        "assert c['sampled']==c['found_explains']>=10 and c['first']=='/mm/1'\n"
        "assert [x['kind'] for x in r['culprits']]==['arithmetic'] and r['verdict']=='fail'\n"
        "assert r['options']['target_class']=='fp32' and r['options']['judge']=='exact'\n",
        {(folder / "r.json").string()});
    EXPECT_EQ(read.exit_code, 0) << read.err;
}

TEST(CompareCommand, judges_as_much_as_it_is_told) {
    const TempDir folder;
    const std::string golden = digits_on(folder, "cpu", "910A");
    const RunResult quick = compare({"-m", golden, "-g", golden, "--judge", "quick"});
    EXPECT_EQ(quick.exit_code, 0) << quick.out;
    const RunResult off = compare({"-m", golden, "-g", golden, "--judge", "off"});
    EXPECT_EQ(off.exit_code, 0) << off.out;
    EXPECT_EQ(off.out.find("arithmetic that"), std::string::npos);
}

TEST(CompareCommand, rejects_what_cannot_be_expected_or_judged) {
    const auto path = (source_dir() / "tests/golden/msaccucmp/stride/my.h5").string();
    const auto error = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"-m", path, "-g", path});
        const RunResult result = compare(more);
        EXPECT_EQ(result.exit_code, 2);
        return result.err;
    };
    EXPECT_NE(error({"--chip", "V100"}).find("910A, 310P"), std::string::npos);
    EXPECT_NE(error({"--target-class", "fp17"}).find("'bf16 inputs, fp32 sums'"),
              std::string::npos);
    EXPECT_NE(error({"--judge", "slow"}).find("quick"), std::string::npos);
    EXPECT_NE(error({"--judge", "off", "--chip", "910A"}).find("the judge is off"),
              std::string::npos);
    EXPECT_NE(error({"--tolerance", "0.1", "--target-class", "fp32"}).find("one tolerance"),
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
