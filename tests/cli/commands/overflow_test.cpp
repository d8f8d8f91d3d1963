#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::RunResult;

// One op with one float16 output, written by h5py as the original dumper lays it out.
void write_dump(const std::string& path, const std::string& values) {
    const RunResult written = test::run_python(R"(
import sys, h5py, numpy as np
inf, nan = np.inf, np.nan
f = h5py.File(sys.argv[1], 'w')
for where, values in (('input/self', [1.0]), ('output/result', eval(sys.argv[2]))):
    d = f.create_dataset('exp/1/' + where, data=np.array(values, 'float32'))
    d.attrs.create('DataType', 10, dtype='i4')
    d.attrs.create('Type', 0, dtype='i4')
)",
                                               {path, values});
    ASSERT_EQ(written.exit_code, 0) << written.err;
}

RunResult overflow(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {test::program("npuscope"), "overflow"});
    return test::run(arguments);
}

TEST(OverflowCommand, exits_with_1_and_names_the_op_when_something_overflowed) {
    const test::TempDir folder;
    write_dump(folder / "d.h5", "[1, inf]");
    const RunResult result = overflow({folder / "d.h5"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.out.find("First: /exp/1\n"), std::string::npos) << result.out;
    EXPECT_EQ(result.err, "");
}

TEST(OverflowCommand, exits_with_0_when_nothing_did) {
    const test::TempDir folder;
    write_dump(folder / "d.h5", "[1, 20000]");
    const RunResult result = overflow({folder / "d.h5"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.out.find("No overflow found.\n"), std::string::npos);
    EXPECT_NE(result.out.find("Latent overflow (within 2 binades"), std::string::npos);
}

TEST(OverflowCommand, exits_with_2_when_nothing_was_found_but_not_all_could_be_read) {
    const test::TempDir folder;
    write_dump(folder / "d.h5", "[1, 2]");
    const RunResult added = test::run_python(
        "import sys, h5py, numpy as np\n"
        "f = h5py.File(sys.argv[1], 'a')\n"
        "d = f.create_dataset('exp/2/output/result', data=np.zeros(99, 'f4'), compression='lzf')\n"
        "d.attrs.create('Type', 0, dtype='i4')\n",
        {folder / "d.h5"});
    ASSERT_EQ(added.exit_code, 0) << added.err;
    const RunResult result = overflow({folder / "d.h5"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.out.find("No overflow found in what can be read; 1 object cannot.\n"),
              std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("'/exp/2/output/result' left out:"), std::string::npos);
    const RunResult shown =
        test::run({test::program("npuscope"), "inspect", folder / "d.h5", "/exp/2"});
    EXPECT_EQ(shown.exit_code, 0) << shown.err;
    EXPECT_NE(shown.out.find("output/result  left out: cannot read the dataset"), std::string::npos)
        << shown.out;
}

// 2 MB on the disk, 2 GB in memory: more than the shell gives the program.
TEST(OverflowCommand, and_inspect_keep_their_memory_whatever_a_tensor_unpacks_to) {
    const test::TempDir folder;
    const RunResult made = test::run_python(
        "import sys, h5py, numpy as np, zlib\n"
        "f = h5py.File(sys.argv[1], 'w')\n"
        "d = f.create_dataset('exp/1/output/result', (1 << 29,), 'f4', chunks=(1 << 22,),"
        " compression='gzip')\n"
        "d.attrs.create('Type', 0, dtype='i4')\n"
        "piece = zlib.compress(bytes(1 << 24), 1)\n"
        "for i in range(128): d.id.write_direct_chunk((i << 22,), piece)\n",
        {folder / "d.h5"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    for (const std::string command : {"overflow", "inspect"}) {
        std::vector<std::string> words = {"bash",
                                          "-c",
                                          "ulimit -v 900000; exec \"$0\" \"$@\"",
                                          test::program("npuscope"),
                                          command,
                                          folder / "d.h5"};
        if (command == "inspect") words.emplace_back("/exp/1");
        const RunResult result = test::run(words);
        EXPECT_EQ(result.exit_code, 0) << command << result.out << result.err;
    }
}

TEST(OverflowCommand, headroom_moves_the_border_of_latent_overflow) {
    const test::TempDir folder;
    write_dump(folder / "d.h5", "[1, 20000]");
    EXPECT_EQ(overflow({"--headroom", "1", folder / "d.h5"}).out.find("Latent"), std::string::npos);
}

TEST(OverflowCommand, writes_json_that_another_parser_reads) {
    const test::TempDir folder;
    write_dump(folder / "d.h5", "[1, nan]");
    const RunResult result = overflow({"--json", folder / "d.h5"});
    EXPECT_EQ(result.exit_code, 1);
    const RunResult parsed = test::run_python(
        "import json, sys; o = json.loads(sys.argv[1]); print(o['first'], "
        "o['overflow'][0]['kind'])",
        {result.out});
    EXPECT_EQ(parsed.out, "/exp/1 introduced\n");
}

TEST(OverflowCommand, colours_only_when_asked_in_a_pipe) {
    const test::TempDir folder;
    write_dump(folder / "d.h5", "[inf]");
    EXPECT_EQ(overflow({folder / "d.h5"}).out.find('\x1b'), std::string::npos);
    EXPECT_NE(overflow({"--color", "always", folder / "d.h5"}).out.find("\x1b[1;31m"),
              std::string::npos);
}

// As msprobe keeps a tensor by its numbers alone.
std::string msprobe_tensor(const std::string& max, const std::string& min) {
    return R"({"type": "torch.Tensor", "dtype": "torch.float16", "shape": [8], "Max": )" + max +
           R"(, "Min": )" + min + R"(, "Mean": 0.5, "Norm": 7.0})";
}

TEST(OverflowCommand, follows_an_overflow_through_a_folder_of_msprobe) {
    const test::TempDir folder;
    const auto op = [](const std::string& name, const std::string& in, const std::string& out) {
        return "\"" + name + R"(": {"input_args": [)" + in +
               R"(], "input_kwargs": {}, "output": [)" + out + "]}";
    };
    const std::string infinite = msprobe_tensor("Infinity", "-1.0");
    test::write_file(
        folder / "dump.json",
        R"({"task": "statistics", "level": "L1", "data": {)" +
            op("Torch.exp.0.forward", msprobe_tensor("12.0", "-1.0"), infinite) + ", " +
            op("Functional.relu.0.forward", infinite, msprobe_tensor("Infinity", "0.0")) + ", " +
            op("Torch.clamp.0.forward",
               msprobe_tensor("Infinity", "0.0"),
               msprobe_tensor("9.0", "0.0")) +
            "}}");
    const RunResult result = overflow({folder.path()});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("First: Torch.exp.0.forward\n"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("  Torch.exp.0.forward born\n"
                              "    carried by 1 op: Functional.relu.0.forward\n"
                              "    killed: it came in as '0' of Torch.clamp.0.forward,"),
              std::string::npos)
        << result.out;
}

TEST(OverflowCommand, names_the_first_step_and_rank_of_a_tree) {
    const test::TempDir folder;
    const auto write = [&](const std::string& run, const std::string& max) {
        std::filesystem::create_directories(folder / run);
        test::write_file(
            folder / run / "dump.json",
            R"({"task": "statistics", "data": {"Torch.exp.0.forward": {"input_args": [)" +
                msprobe_tensor("12.0", "-1.0") + R"(], "output": [)" + msprobe_tensor(max, "0.0") +
                "]}}}");
    };
    write("step0/rank0", "9.0");
    write("step0/rank1", "9.0");
    EXPECT_EQ(overflow({folder.path()}).exit_code, 0);
    write("step2/rank0", "9.0");
    write("step2/rank1", "Infinity");
    write("step10/rank0", "Infinity");
    const RunResult result = overflow({folder.path()});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("5 recorded runs\n"
                              "  step 0, rank0: 1 ops, no overflow\n"),
              std::string::npos)
        << result.out;
    EXPECT_NE(result.out.find("First: step 2, rank1\n"), std::string::npos) << result.out;
    const RunResult parsed = test::run_python(
        "import json, sys; o = json.loads(sys.argv[1])\n"
        "print(o['first'], o['found'], [r['result']['found'] for r in o['runs']])",
        {overflow({"--json", folder.path()}).out});
    EXPECT_EQ(parsed.out,
              "{'step': 2, 'rank': 'rank1', 'path': 'Torch.exp.0.forward'} True "
              "[False, False, False, True, True]\n")
        << parsed.err;
    test::write_file(folder / "step0" / "rank0" / "dump.json", "{");
    EXPECT_NE(overflow({folder.path()}).out.find("step 0, rank0: not scanned: "),
              std::string::npos);
}

TEST(OverflowCommand, follows_hashes_through_a_log_of_debug_mode) {
    const test::TempDir folder;
    test::write_file(
        folder / "a.log",
        "    aten::mm(t: f32[2, 2], t: f32[2, 2])  ->  t: f32[2, 2]  # {'hash': inf, 'input_hash': "
        "((3.0, 4.0), {})}\n"
        "    aten::relu(t: f32[2, 2])  ->  t: f32[2, 2]  # {'hash': inf, 'input_hash': ((inf,), "
        "{})}\n"
        "    aten::tanh(t: f32[2, 2])  ->  t: f32[2, 2]  # {'hash': 2.5, 'input_hash': ((inf,), "
        "{})}\n");
    const RunResult result = overflow({folder / "a.log"});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("  /mm/1 born\n"
                              "    carried by 1 op: /relu/2\n"
                              "    killed: it came in as '0' of /tanh/3,"),
              std::string::npos)
        << result.out;
}

TEST(OverflowCommand, scans_arrays_by_the_names_of_their_ops) {
    const test::TempDir folder;
    const RunResult written = test::run_python(
        "import sys, numpy as np\n"
        "x, y = np.ones(4, 'f2'), np.array([1, 2, 3, np.inf], 'f2')\n"
        "np.savez(sys.argv[1], **{'exp.input.x': x, 'exp.output.0': y})\n",
        {folder / "a.npz"});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const RunResult result = overflow({folder / "a.npz"});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("First: exp\n"), std::string::npos) << result.out;
}

TEST(OverflowCommand, writes_text_for_80_columns) {
    const test::TempDir folder;
    write_dump(folder / "d.h5", "[1, inf]");
    std::istringstream lines(overflow({folder / "d.h5"}).out);
    for (std::string line; std::getline(lines, line);)
        EXPECT_TRUE(line.size() <= 80 || line.find(' ') == std::string::npos ||
                    line.find(folder.path().string()) != std::string::npos)
            << line;
}

TEST(OverflowCommand, rejects_what_it_cannot_scan) {
    const test::TempDir folder;
    EXPECT_EQ(overflow({folder.path()}).exit_code, 2);
    EXPECT_EQ(overflow({folder / "missing"}).exit_code, 2);
    EXPECT_EQ(overflow({folder / "missing.h5"}).exit_code, 2);
    test::write_file(folder / "text.h5", "no HDF5");
    const RunResult text = overflow({folder / "text.h5"});
    EXPECT_EQ(text.exit_code, 2);
    EXPECT_NE(text.err.find("text.h5"), std::string::npos);
    EXPECT_EQ(text.err.find("HDF5-DIAG"), std::string::npos);
    EXPECT_EQ(overflow({}).exit_code, 2);
    EXPECT_EQ(overflow({"--headroom", "-1", folder / "text.h5"}).exit_code, 2);
}

TEST(OverflowCommand, rejects_a_file_without_floating_point_tensors) {
    const test::TempDir folder;
    ASSERT_EQ(test::run_python("import sys, h5py; h5py.File(sys.argv[1], 'w')", {folder / "d.h5"})
                  .exit_code,
              0);
    const RunResult result = overflow({folder / "d.h5"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("no floating-point tensor"), std::string::npos);
}

TEST(OverflowCommand, help_lists_the_exit_codes) {
    const RunResult result = overflow({"--help"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_NE(result.out.find("Exit codes: 0"), std::string::npos);
}

}  // namespace
}  // namespace npuscope
