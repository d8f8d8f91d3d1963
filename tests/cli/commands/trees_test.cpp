// npuscope on trees of msprobe, as a program.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::test {
namespace {

/// A relu and its gradient; `value` is the largest element of its result, `more` told of the
/// gradient.
void put_run(const std::filesystem::path& folder,
             const std::string& value,
             const std::string& more = "") {
    std::filesystem::create_directories(folder / "dump_tensor_data");
    const auto tensor = [](const std::string& max, const std::string& rest = "") {
        return R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": )" + max +
               R"(, "Min": 0.5, "Mean": 0.75, "Norm": 1.25)" + rest + "}";
    };
    write_file(folder / "dump.json",
               R"({"task": "statistics", "level": "mix", "data": {"Functional.relu.0.forward": )"
               R"({"input_args": [)" +
                   tensor("2.0") + R"(, {"type": "bool", "value": false}], "output": [)" +
                   tensor(value) + R"(]}, "Functional.relu.0.backward": {"input": [)" +
                   tensor("3.0") + R"(], "output": [)" + tensor("3.5", more) + "]}}}");
    write_file(folder / "construct.json",
               R"({"Functional.relu.0.forward": "Module.act.ReLU.forward.0"})");
    write_file(folder / "stack.json",
               R"({"0": [["Functional.relu.0.forward"], ["File /net.py, line 3, in f, \n x"]]})");
}

/// A file that is not there.
constexpr const char* kGone = R"(, "data_name": "gone.npy")";

RunResult npuscope(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program("npuscope"));
    return run(arguments);
}

class Trees : public ::testing::Test {
  protected:
    void SetUp() override {
        for (const std::string side : {"target", "golden"})
            for (const std::string run : {"step0/rank0", "step0/rank1", "step1/rank0"})
                put_run(folder_ / (side + "/" + run), "2.0");
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (folder_ / name).string();
    }
    [[nodiscard]] RunResult compare(std::vector<std::string> more = {}) const {
        std::vector<std::string> all = {
            "compare", "-m", path("target"), "-g", path("golden"), "--tolerance", "1e-3"};
        all.insert(all.end(), more.begin(), more.end());
        return npuscope(all);
    }

    TempDir folder_;
};

TEST_F(Trees, compare_pairs_steps_and_ranks_under_headings) {
    std::filesystem::remove_all(folder_ / "target/step1");
    put_run(folder_ / "target/step0/rank1", "4.0");
    for (const std::string side : {"target", "golden"})
        for (const std::string run : {"step0/rank0", "step0/rank1"})
            put_run(folder_ / (side + "/" + run),
                    side == "target" && run.ends_with('1') ? "4" : "2");
    const RunResult result = compare();
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("== step 0, rank0 =="), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("== 3 runs ==\n"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("step 0, rank1: fail, first Functional.relu.0.forward\n"),
              std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("step 1, rank0: only the golden has it\n"), std::string::npos);
}

TEST_F(Trees, compare_prints_one_json_object_and_writes_a_folder_for_each_run) {
    put_run(folder_ / "target/step1/rank0", "4.0");
    const RunResult result = compare({"--json", "-o", path("out")});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    write_file(folder_ / "r.json", result.out);
    const RunResult read = run_python(
        "import json, sys\n"
        "d = json.load(open(sys.argv[1]))\n"
        "print(d['verdict'], d['first'], [(r['step'], r['rank'], r['verdict']) for r in "
        "d['runs']],\n"
        "      len(d['runs'][0]['result']['ops']))",
        {path("r.json")});
    EXPECT_EQ(read.out,
              "fail step 1, rank0: Functional.relu.0.forward [(0, 'rank0', 'pass'), "
              "(0, 'rank1', 'pass'), (1, 'rank0', 'fail')] 2\n")
        << read.err;
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out/step1_rank0/verdicts.json"));
}

TEST_F(Trees, compare_goes_on_behind_a_run_that_cannot_be_read) {
    write_file(folder_ / "target/step0/rank1/dump.json", R"({"data": {"a)");
    const RunResult result = compare();
    EXPECT_NE(result.out.find("step 0, rank1: not compared\n"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("its JSON is damaged at byte"), std::string::npos) << result.err;
    EXPECT_NE(result.out.find("== step 1, rank0 =="), std::string::npos);
}

TEST_F(Trees, inspect_lists_runs_ops_tensors_and_what_was_recorded_of_them) {
    const RunResult runs = npuscope({"inspect", path("target")});
    EXPECT_EQ(runs.exit_code, 0) << runs.err;
    EXPECT_NE(runs.out.find("0     rank1  2    "), std::string::npos) << runs.out;
    const std::string one = path("target/step0/rank0");
    const RunResult ops = npuscope({"inspect", one});
    EXPECT_NE(ops.out.find("Module.act.ReLU.forward.0  net.py:3  0 float32[2] <- 0 float32[2]"),
              std::string::npos)
        << ops.out;
    const RunResult op = npuscope({"inspect", one, "Functional.relu.0.forward"});
    EXPECT_NE(op.out.find("input/0   float32  [2]    0.5  2    0.75  1.25"), std::string::npos)
        << op.out;
    EXPECT_NE(op.out.find("input/1  0"), std::string::npos) << op.out;
    put_run(one, "2.0", kGone);
    const RunResult missing = npuscope({"inspect", one, "Functional.relu.0.backward"});
    EXPECT_NE(missing.out.find("gone.npy"), std::string::npos) << missing.out;
    const RunResult unknown = npuscope({"inspect", one, "Functional.gelu.0.forward"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.err.find("there is no op or tensor"), std::string::npos);
    const RunResult many = npuscope({"inspect", path("target"), "Functional.relu.0.forward"});
    EXPECT_EQ(many.exit_code, 2);
    EXPECT_NE(many.err.find("holds 3 recorded runs; name one"), std::string::npos) << many.err;
}

TEST_F(Trees, inspect_prints_json) {
    const RunResult runs = npuscope({"inspect", "--json", path("target")});
    write_file(folder_ / "r.json", runs.out);
    const RunResult op =
        npuscope({"inspect", "--json", path("target/step0/rank0"), "Functional.relu.0.forward"});
    write_file(folder_ / "o.json", op.out);
    const RunResult read = run_python(
        "import json, sys\n"
        "print([(r['step'], r['rank'], r['ops']) for r in json.load(open(sys.argv[1]))['runs']])\n"
        "o = json.load(open(sys.argv[2]))\n"
        "print(o['tensors'][1]['statistics'], o['values'], o['line'])",
        {path("r.json"), path("o.json")});
    EXPECT_EQ(read.out,
              "[(0, 'rank0', 2), (0, 'rank1', 2), (1, 'rank0', 2)]\n"
              "{'max': 2.0, 'min': 0.5, 'mean': 0.75, 'norm': 1.25} "
              "[{'argument': '1', 'value': '0'}] /net.py:3\n")
        << read.err;
}

TEST_F(Trees, extract_writes_a_dump_that_other_commands_read) {
    const std::string one = path("target/step0/rank0");
    const RunResult made =
        npuscope({"extract", "-v", "-i", one, "-o", path("x.h5"), "-s", "/*.forward/"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    EXPECT_EQ(made.err, "Functional.relu.0.forward -> /Functional.relu.forward/1\n");
    const RunResult same = npuscope({"compare", "-m", path("x.h5"), "-g", path("x.h5")});
    EXPECT_EQ(same.exit_code, 0) << same.out << same.err;
    EXPECT_NE(same.out.find("2 tensors measured: 2 pass"), std::string::npos) << same.out;
    const RunResult shown = npuscope({"inspect", path("x.h5"), "/Functional.relu.forward/1"});
    EXPECT_NE(shown.out.find("output/0  float32  [2]    0.5  2    0.75"), std::string::npos)
        << shown.out;
    // h5py reads what was kept of the tensors, and the argument.
    const RunResult read = run_python(
        "import h5py, json, sys\n"
        "op = h5py.File(sys.argv[1])['Functional.relu.forward/1']\n"
        "facts = json.loads(op['npuscope'][()])\n"
        "print(facts['node'], facts['line'], facts['module'], int(op['input/1'][()]))",
        {path("x.h5")});
    EXPECT_EQ(read.out, "Functional.relu.0.forward /net.py:3 Module.act.ReLU.forward.0 0\n")
        << read.err;
    const RunResult again =
        npuscope({"extract", "-i", one, "-o", path("x.h5"), "-s", "/*.forward/"});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_NE(again.err.find("is there already"), std::string::npos) << again.err;
    const RunResult none = npuscope({"extract", "-i", one, "-o", path("y.h5"), "-s", "/nothing/"});
    EXPECT_EQ(none.exit_code, 2);
    EXPECT_NE(none.err.find("fits none of the 2 recorded ops"), std::string::npos) << none.err;
    put_run(one, "2.0", kGone);
    const RunResult gone = npuscope({"extract", "-i", one, "-o", path("y.h5"), "-s", "/*backward"});
    EXPECT_EQ(gone.exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "y.h5"));
}

TEST_F(Trees, extract_makes_a_dump_of_each_run) {
    const auto extract = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"extract", "-i", path("target"), "-s", "*relu*forward"});
        return npuscope(more);
    };
    const RunResult result = extract({"-o", path("ops")});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    for (const std::string run : {"step0_rank0", "step0_rank1", "step1_rank0"}) {
        EXPECT_NE(result.out.find("copied 1 object to " + path("ops/" + run + ".h5")),
                  std::string::npos)
            << result.out;
        const RunResult read = test::run({"h5ls", path("ops/" + run + ".h5")});
        EXPECT_EQ(read.out, "Functional.relu.forward  Group\n") << read.err;
    }
    const RunResult json = extract({"-o", path("more"), "--json"});
    EXPECT_NE(json.out.find(R"("output": ")" + path("more/step1_rank0.h5")), std::string::npos)
        << json.out;
}

TEST_F(Trees, extract_tells_of_a_run_that_fails_and_goes_on) {
    write_file(folder_ / "target/step0/rank1/dump.json", "{");
    const RunResult result =
        npuscope({"extract", "-i", path("target"), "-s", "*relu*forward", "-o", path("ops")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_TRUE(result.err.starts_with("npuscope: error: step 0, rank1: ")) << result.err;
    EXPECT_TRUE(std::filesystem::exists(path("ops/step1_rank0.h5")));
    EXPECT_FALSE(std::filesystem::exists(path("ops/step0_rank1.h5")));
}

TEST_F(Trees, extract_needs_a_folder) {
    write_file(folder_ / "ops.h5", "mine");
    const RunResult result =
        npuscope({"extract", "-i", path("target"), "-s", "*relu*", "-o", path("ops.h5")});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err,
              "npuscope: error: '" + path("ops.h5") +
                  "' is a file; of several recorded runs -o names a folder, in which each gets a "
                  "dump\n");
    EXPECT_EQ(read_file(folder_ / "ops.h5"), "mine");
}

}  // namespace
}  // namespace npuscope::test
