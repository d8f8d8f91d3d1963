#include <gtest/gtest.h>

#include "core/dumpfile/writer.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::TempDir;

class Inspect : public ::testing::Test {
  protected:
    void SetUp() override {
        dumpfile::Writer writer(path_, {.run_facts = {{"Chip", "910A"}}});
        dumpfile::OpRecord relu;
        relu.name = "relu";
        relu.seqid = 2;
        const float inf = std::numeric_limits<float>::infinity();
        relu.inputs = {{"self", Tensor::from<float>({6}, {0, 1, 2, inf, -inf, -inf})},
                       {"alpha", Scalar{0.5}},
                       {"dims", IntList{1, 2}}};
        relu.outputs = {{"result", Tensor::from<Float16>({2}, {{0x7e00}, {0x3c00}})}};
        relu.compute_type = "float16";
        relu.facts_json =
            R"({"node":"Relu_0","kernels":["Relu"],"status":{"bits":32,"overflow":true}})";
        writer.write(relu);
        dumpfile::OpRecord add;
        add.name = "add";
        add.seqid = 1;
        add.outputs = {{"result", Tensor::from<int64_t>({}, {7})}};
        writer.write(add);
        writer.close(false, "the limit was reached");
    }
    test::RunResult inspect(std::vector<std::string> arguments) {
        std::vector<std::string> command = {test::program("npuscope"), "inspect"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return test::run(command);
    }
    TempDir folder_;
    std::string path_ = (folder_ / "dump.h5").string();
};

TEST_F(Inspect, lists_the_ops_under_the_facts_of_the_run) {
    const auto result = inspect({path_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out,
              path_ +
                  ": 2 ops, INCOMPLETE\n"
                  "  FormatVersion: 1.0\n"
                  "  Version: 0.1.0\n"
                  "  Chip: 910A\n"
                  "  Note: the limit was reached\n"
                  "SEQID  OP    NODE    COMPUTE  OVERFLOW  OUTPUTS <- INPUTS\n"
                  "1      add                              result int64[]\n"
                  "2      relu  Relu_0  float16  OVERFLOW  result float16[2] <- self "
                  "float32[6]\n");
}

TEST_F(Inspect, shows_the_statistics_of_an_op) {
    EXPECT_EQ(inspect({path_, "relu/2/"}).out,
              "/relu/2  OVERFLOW\n"
              "  node: Relu_0\n"
              "  compute type: float16\n"
              "  kernels: Relu\n"
              "TENSOR         DTYPE    SHAPE  MIN  MAX  MEAN  NAN  INF  ZERO\n"
              "input/self     float32  [6]    0    2    1     0    3    1\n"
              "output/result  float16  [2]    1    1    1     1    0    0\n"
              "input/alpha  0.5\n"
              "input/dims   [1,2]\n");
}

TEST_F(Inspect, shows_the_histogram_of_a_tensor) {
    const std::string out = inspect({path_, "/relu/2/input/self"}).out;
    EXPECT_EQ(out.substr(0, out.find("           0 ")),
              "/relu/2/input/self  float32[6]\n"
              "  elements 6  nan 0  +inf 1  -inf 2  zero 1\n"
              "  min 0  max 2  mean 1  standard deviation 0.816497\n  ");
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 3 + 20);
    EXPECT_NE(out.find("           1          1 ####"), std::string::npos) << out;
}

TEST_F(Inspect, prints_json_that_another_parser_reads) {
    for (const std::string path : {"", "/relu", "/relu/2", "/relu/2/input/self"}) {
        const auto result = inspect({"--json", path_, path});
        test::write_file(folder_ / "o.json", result.out);
        const auto read = test::run_python(
            "import sys, json; o = json.load(open(sys.argv[1]))\n"
            "print([x['path'] for x in o['ops']] if 'ops' in o else\n"
            "      [t['statistics']['nan'] for t in o['tensors']] if 'tensors' in o else\n"
            "      (o['statistics']['deviation'], sum(o['histogram']['counts'])))",
            {(folder_ / "o.json").string()});
        EXPECT_EQ(read.out,
                  path.empty()        ? "['/add/1', '/relu/2']\n"
                  : path == "/relu"   ? "['/relu/2']\n"
                  : path == "/relu/2" ? "[0, 1]\n"
                                      : "(0.816496580927726, 3)\n")
            << result.err << read.err;
    }
}

TEST_F(Inspect, a_hostile_name_cannot_move_the_cursor) {
    const auto made = test::run_python(
        "import sys, h5py, numpy as np\n"
        "f = h5py.File(sys.argv[1], 'w')\n"
        "f['\\x1b[2Jrelu/1/output/x'] = np.float32([1])\n"
        "f['relu/one/output/x'] = np.float32([1])",
        {(folder_ / "odd.h5").string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto result = inspect({(folder_ / "odd.h5").string()});
    EXPECT_EQ(result.out.find('\x1b'), std::string::npos);
    EXPECT_NE(result.out.find("\\x1b[2Jrelu"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("1 object of"), std::string::npos) << result.err;
    EXPECT_EQ(inspect({"-q", (folder_ / "odd.h5").string()}).err, "");
}

TEST_F(Inspect, rejects_what_is_not_there) {
    const auto result = inspect({path_, "/rely/2"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("the nearest is /relu"), std::string::npos) << result.err;
    EXPECT_EQ(inspect({(folder_ / "none.h5").string()}).exit_code, 2);
    EXPECT_EQ(inspect({}).exit_code, 2);
}

}  // namespace
}  // namespace npuscope
