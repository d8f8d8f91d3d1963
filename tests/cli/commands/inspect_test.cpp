#include <gtest/gtest.h>

#include "core/cann_dump/writer.h"
#include "core/dumpfile/writer.h"
#include "core/npz/npy.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::TempDir;

class Inspect : public ::testing::Test {
  protected:
    void SetUp() override {
        dumpfile::Writer writer(path_, {.run_facts = {{"Chip", "910A"}}});
        dumpfile::OpRecord relu;
        relu.id.op = "relu";
        relu.id.seqid = 2;
        const float inf = std::numeric_limits<float>::infinity();
        relu.inputs = {{"self", Tensor::from<float>({6}, {0, 1, 2, inf, -inf, -inf})},
                       {"alpha", Scalar{0.5}},
                       {"dims", IntList{1, 2}}};
        relu.outputs = {{"result", Tensor::from<Float16>({2}, {{0x7e00}, {0x3c00}})}};
        relu.compute_type = ComputeType::kFloat16;
        relu.facts = dumpfile::parse_facts(
            R"({"node":"Relu_0","kernels":["Relu"],"status":{"bits":32,"overflow":true}})");
        writer.write(relu);
        dumpfile::OpRecord add;
        add.id.op = "add";
        add.id.seqid = 1;
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

class InspectBinary : public Inspect {
  protected:
    void SetUp() override {
        static const std::vector<float> values{1, -2, 0, 4};
        cann_dump::DumpFile dump;
        dump.version = "2.0";
        dump.op_name = "scope/add";
        cann_dump::DumpTensor& input = dump.inputs.emplace_back();
        input.data_type = 1;
        input.format = 29;
        input.shape = {2, 2};
        input.original_shape = {4};
        input.bytes = std::as_bytes(std::span(values));
        cann_dump::DumpTensor& text = dump.outputs.emplace_back();
        text.data_type = 13;
        text.format = 2;
        cann_dump::write_dump(path_, dump);
    }
    std::string path_ = (folder_ / "Add.a.1.2.3").string();
};

TEST_F(InspectBinary, lists_the_tensors_of_a_binary_dump) {
    const auto result = inspect({path_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out,
              path_ +
                  ": 1 input, 1 output\n"
                  "  op: scope/add\n"
                  "  version: 2.0\n"
                  "TENSOR    DTYPE    FORMAT      SHAPE  ORIGINAL  MIN  MAX  MEAN  NAN  INF  ZERO\n"
                  "input/0   float32  FRACTAL_NZ  [2,2]  [4]       -2   4    0.75  0    0    1\n"
                  "output/0  string   ND          []               -    -    -     -    -    no "
                  "statistics for this data type\n");
}

TEST_F(InspectBinary, shows_one_tensor_as_a_histogram) {
    const auto result = inspect({path_, "/input/0"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(
        result.out.starts_with("input/0  float32 FRACTAL_NZ [2,2]\n"
                               "  elements 4  nan 0  +inf 0  -inf 0  zero 1\n"
                               "  min -2  max 4  mean 0.75"))
        << result.out;
    const auto parsed = test::run_python(
        "import json, sys; found = json.loads(sys.argv[1])\n"
        "print(found['statistics']['max'], sum(found['histogram']['counts']), found['format'])",
        {inspect({path_, "input/0", "--json"}).out});
    EXPECT_EQ(parsed.out, "4.0 4 FRACTAL_NZ\n");
}

TEST_F(InspectBinary, shows_a_npy) {
    const std::string array = (folder_ / "a.npy").string();
    write_npy(array, Tensor::from<int32_t>({3}, {1, 2, 3}).view());
    EXPECT_TRUE(inspect({array}).out.starts_with("array  int32 [3]\n  elements 3 "));
    EXPECT_EQ(inspect({array, "input/0"}).exit_code, 2);
}

TEST_F(InspectBinary, rejects_what_is_not_there) {
    EXPECT_EQ(inspect({path_, "input/1"}).exit_code, 2);
    EXPECT_NE(inspect({path_, "input/1"}).err.find("there is no tensor 'input/1'"),
              std::string::npos);
    EXPECT_NE(inspect({path_, "output/0"}).err.find("no statistics"), std::string::npos);
    test::write_file(path_, "just text, no dump");
    const auto result = inspect({path_});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("is no valid dump"), std::string::npos);
    EXPECT_EQ(inspect({(folder_ / "missing").string()}).exit_code, 2);
}

TEST(InspectDeepFacts, are_left_out) {
    const TempDir folder;
    const std::string path = (folder / "deep.h5").string();
    const auto made = test::run_python(
        "import sys, h5py, numpy as np\n"
        "f = h5py.File(sys.argv[1], 'w')\n"
        "f['relu/1/output/result'] = np.float32([1])\n"
        "f['relu/1/npuscope'] = np.bytes_('{\"a\":' + 200000 * '[' + 200000 * ']' + "
        "',\"node\":\"n\"}')",
        {path});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto result =
        test::run({test::program("npuscope"), "inspect", path, "/relu/1", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("\"facts\": null"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace npuscope
