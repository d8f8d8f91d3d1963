#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::RunResult;

RunResult recompute(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {test::program("npuscope"), "recompute"});
    return test::run(arguments);
}

TEST(RecomputeCommand, finds_a_recorded_step_right_in_the_reference) {
    const RunResult result =
        recompute({test::recording(), "--device", "cpu", "--reference", "fp32"});
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_NE(result.out.find(" 0 fail, 0 skipped\n"), std::string::npos) << result.out;
    EXPECT_EQ(result.err, "");
}

TEST(RecomputeCommand, writes_json_that_another_parser_reads) {
    const RunResult result = recompute({test::recording(), "--device", "cpu", "--json"});
    const RunResult parsed = test::run_python(
        "import json, sys; o = json.loads(sys.argv[1]); print(o['failed'], len(o['ops']) == "
        "o['passed'], o['device'])",
        {result.out});
    EXPECT_EQ(parsed.out, "0 True cpu fp64\n") << parsed.err;
}

// U+FFFD stands for bytes that are no UTF-8, in every report.
TEST(RecomputeCommand, prints_json_of_names_that_are_no_utf8) {
    const test::TempDir folder;
    const RunResult written = test::run_python(R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w')
odd = h5py.Group(h5py.h5g.create(f.id, b'odd\xff'))
for group, where, values in ((odd, '1/output/result', [1]), (f, 'neg/2/input/self', [1]),
                             (f, 'neg/2/output/result', [-1])):
    d = group.create_dataset(where, data=np.array(values, 'float32'))
    d.attrs.create('DataType', 1, dtype='i4')
    d.attrs.create('Type', 0, dtype='i4')
)",
                                               {folder / "d.h5"});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const RunResult found = recompute({folder / "d.h5", "--json"});
    EXPECT_EQ(found.exit_code, 0) << found.err;
    EXPECT_NE(found.out.find("odd\xEF\xBF\xBD"), std::string::npos) << found.out;
    const RunResult mapped = test::run(
        {test::program("npuscope"), "map", folder / "d.h5", "--chip", "910A", "-o", folder / "m"});
    EXPECT_EQ(mapped.err.find("json"), std::string::npos) << mapped.err;
    EXPECT_NE(mapped.exit_code, 2) << mapped.err;
}

TEST(RecomputeCommand, names_the_op_whose_recorded_result_is_another) {
    const test::TempDir folder;
    const RunResult written = test::run_python(R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w')
for where, values in (('relu/1/input/self', [1, -1]), ('relu/1/output/result', [1, 0]),
                      ('neg/2/input/self', [1, -1]), ('neg/2/output/result', [-1, 2]),
                      ('strange/3/output/result', [1])):
    d = f.create_dataset(where, data=np.array(values, 'float32'))
    d.attrs.create('DataType', 1, dtype='i4')
    d.attrs.create('Type', 0, dtype='i4')
)",
                                               {folder / "d.h5"});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const RunResult result = recompute({folder / "d.h5", "--device", "cpu"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.out.find("/neg/2"), std::string::npos) << result.out;
    EXPECT_EQ(result.out.find("/relu/1"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("3 ops: 1 pass, 1 fail, 1 skipped\n"), std::string::npos)
        << result.out;
    EXPECT_NE(recompute({folder / "d.h5", "-v"}).out.find("/relu/1"), std::string::npos);
}

TEST(RecomputeCommand, rejects_what_holds_nothing_to_compute) {
    const test::TempDir folder;
    const RunResult written = test::run_python(R"(
import sys, h5py, numpy as np
f = h5py.File(sys.argv[1], 'w')
d = f.create_dataset('relu/1/output/result', data=np.zeros(2, 'float32'))
d.attrs.create('DataType', 1, dtype='i4')
d.attrs.create('Type', 0, dtype='i4')
)",
                                               {folder / "d.h5"});
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const RunResult result = recompute({folder / "d.h5"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("no op could be computed again"), std::string::npos) << result.err;
    EXPECT_EQ(recompute({folder / "missing.h5"}).exit_code, 2);
    EXPECT_EQ(recompute({test::recording(), "--device", "tpu"}).exit_code, 2);
}

}  // namespace
}  // namespace npuscope
