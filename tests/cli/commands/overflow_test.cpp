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

TEST(OverflowCommand, rejects_what_it_cannot_scan) {
    const test::TempDir folder;
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
