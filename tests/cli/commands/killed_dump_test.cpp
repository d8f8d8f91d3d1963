// A dump whose process was killed, used as it is: each command says that it is incomplete and where
// it stops.
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "core/dumpfile/writer.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

namespace fs = std::filesystem;
using test::RunResult;

const std::string kWhy = "is incomplete: the dump was not closed; its last op is /relu/3\n";

RunResult npuscope(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), test::program("npuscope"));
    return test::run(arguments);
}

void write_op(dumpfile::Writer& writer, int64_t seqid) {
    dumpfile::OpRecord record;
    record.id.op = "relu";
    record.id.seqid = seqid;
    record.inputs = {{"self", Tensor::from<float>({2}, {1, static_cast<float>(seqid)})}};
    record.outputs = {{"result", Tensor::from<float>({2}, {1, static_cast<float>(seqid)})}};
    record.compute_type = ComputeType::kFloat32;
    writer.write(record);
}

class KilledDumpFile : public ::testing::Test {
  protected:
    /// Five ops, three of them committed; then the process ends where it stands.
    KilledDumpFile() {
        const pid_t child = ::fork();
        if (child == 0) {
            dumpfile::Writer writer(
                folder_ / "a.h5",
                {.device_code = dumpfile::kDeviceNpu, .run_facts = {{"Chip", "910A"}}});
            for (int64_t i = 1; i <= 5; ++i) {
                write_op(writer, i);
                if (i == 3) writer.commit();
            }
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
    }
    test::TempDir folder_;
    const std::string path_ = (folder_ / "a.h5.part.h5").string();
};

TEST_F(KilledDumpFile, has_a_name_of_its_own) {
    EXPECT_TRUE(fs::exists(path_));
    EXPECT_FALSE(fs::exists(folder_ / "a.h5"));
}

TEST_F(KilledDumpFile, is_inspected) {
    const RunResult result = npuscope({"inspect", path_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find(": 3 ops, INCOMPLETE\n"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("  Note: the dump was not closed; its last op is /relu/3\n"),
              std::string::npos)
        << result.out;
}

TEST_F(KilledDumpFile, is_compared) {
    const RunResult result = npuscope({"compare", "-m", path_, "-g", path_});
    EXPECT_EQ(result.exit_code, 0) << result.out;
    EXPECT_EQ(result.err,
              "npuscope: '" + path_ + "' " + kWhy +
                  "npuscope: both files hold the same elements in all 6 tensors: one may be a "
                  "copy of the other\n");
    const std::string golden = (folder_ / "golden.h5").string();
    dumpfile::Writer writer(golden, {});
    for (int64_t i = 1; i <= 5; ++i)
        write_op(writer, i);
    writer.close();
    const RunResult columns = test::run({test::program("msaccucmp"),
                                         "compare",
                                         "-m",
                                         path_,
                                         "-g",
                                         golden,
                                         "-out",
                                         folder_.path().string()});
    EXPECT_EQ(columns.exit_code, 0) << columns.out << columns.err;
}

TEST_F(KilledDumpFile, is_scanned_for_overflow) {
    const RunResult result = npuscope({"overflow", path_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("'" + path_ + "' " + kWhy), std::string::npos) << result.out;
}

TEST_F(KilledDumpFile, is_extracted_from) {
    const std::string out = (folder_ / "out.h5").string();
    const RunResult result =
        npuscope({"extract", "-i", path_, "-o", out, "-s", "/relu/2", "-d", "/relu/2"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(npuscope({"inspect", out}).out.find("1 op\n"), std::string::npos);
}

TEST_F(KilledDumpFile, is_read_by_h5py) {
    const auto shown = test::run_python(
        "import sys, h5py\n"
        "f = h5py.File(sys.argv[1])\n"
        "print(list(f['relu']), f['relu/3/output/result'][()], f.attrs['Complete'])",
        {path_});
    EXPECT_EQ(shown.out, "['1', '2', '3'] [1. 3.] b'no'\n") << shown.err;
}

TEST_F(KilledDumpFile, is_loaded_from) {
    const std::string model = (test::source_dir() / "data/models/digits_resnet.onnx").string();
    const std::string golden = (folder_ / "golden.h5").string();
    const RunResult whole = npuscope({"run", model, "--device", "cpu", "--dump", golden});
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    const auto marked = test::run_python(
        "import sys, h5py, numpy as np\n"
        "f = h5py.File(sys.argv[1], 'r+')\n"
        "f.attrs['Complete'] = np.bytes_(b'no'); f.attrs['Note'] = np.bytes_(b'cut off')\n"
        "name = sorted(f, key=lambda n: max(map(int, f[n])))[-1]\n"
        "del f[name][max(f[name], key=int)]",
        {golden});
    ASSERT_EQ(marked.exit_code, 0) << marked.err;
    const RunResult loaded = npuscope({"run",
                                       model,
                                       "--device",
                                       "cpu",
                                       "--load",
                                       golden,
                                       "--dump",
                                       (folder_ / "loaded.h5").string()});
    EXPECT_EQ(loaded.exit_code, 0) << loaded.err;
    EXPECT_NE(loaded.out.find("1 of "), std::string::npos) << loaded.out;
    EXPECT_NE(loaded.out.find("left out; '" + golden + "' is incomplete: cut off"),
              std::string::npos)
        << loaded.out;
}

}  // namespace
}  // namespace npuscope
