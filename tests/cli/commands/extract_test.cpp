#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope {
namespace {

using test::TempDir;

class Extract : public ::testing::Test {
  protected:
    void SetUp() override {
        const auto made = test::run_python(R"py(
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], 'w') as f:
    f.attrs['Chip'] = '910A'
    for name, seqid in [('relu', 1), ('relu', 2), ('relu', 10), ('add_Tensor', 3), ('odd name*', 4)]:
        d = f.create_dataset(f'{name}/{seqid}/output/result', data=np.float32([seqid]))
        d.attrs['DataType'] = np.int32(1)
)py",
                                           {in_});
        ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    test::RunResult extract(std::vector<std::string> arguments) {
        std::vector<std::string> command = {test::program("npuscope"), "extract"};
        command.insert(command.end(), arguments.begin(), arguments.end());
        return test::run(command);
    }
    std::string runs_in(const std::string& path) {
        return test::run_python(R"py(
import sys, h5py
with h5py.File(sys.argv[1]) as f:
    for op in f:
        for seqid in f[op]:
            d = f[op][seqid]['output/result']
            print(op, seqid, d[0], d.attrs['DataType'])
)py",
                                {path})
            .out;
    }
    TempDir folder_;
    std::string in_ = (folder_ / "in.h5").string();
    std::string out_ = (folder_ / "out.h5").string();
};

TEST_F(Extract, takes_the_options_of_h5copy) {
    const auto result = extract({"-pv", "-i", in_, "-o", out_, "-s", "/relu/2/", "-d", "/relu/2/"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.out, "copied 1 object to " + out_ + "\n");
    EXPECT_EQ(result.err, "/relu/2 -> /relu/2\n");
    EXPECT_EQ(runs_in(out_), "relu 2 2.0 1\n");
}

TEST_F(Extract, agrees_with_h5copy) {
    const std::string theirs = (folder_ / "theirs.h5").string();
    ASSERT_EQ(test::run({"h5copy", "-p", "-i", in_, "-o", theirs, "-s", "/relu/2", "-d", "/relu/2"})
                  .exit_code,
              0);
    ASSERT_EQ(extract({"-p", "-i", in_, "-o", out_, "-s", "/relu/2", "-d", "/relu/2"}).exit_code,
              0);
    const auto difference = test::run({"h5diff", "-v", theirs, out_, "/relu", "/relu"});
    EXPECT_EQ(difference.exit_code, 0) << difference.out;
}

TEST_F(Extract, adds_to_an_existing_file) {
    ASSERT_EQ(extract({"-i", in_, "-o", out_, "-s", "/relu/2"}).exit_code, 0);
    ASSERT_EQ(extract({"-i", in_, "-o", out_, "-s", "/add_Tensor"}).exit_code, 0);
    EXPECT_EQ(runs_in(out_), "add_Tensor 3 3.0 1\nrelu 2 2.0 1\n");
}

TEST_F(Extract, copies_several_places_and_patterns) {
    ASSERT_EQ(extract({"-i", in_, "-o", out_, "-s", "/relu/1*", "-s", "add_*/?"}).exit_code, 0);
    EXPECT_EQ(runs_in(out_), "add_Tensor 3 3.0 1\nrelu 1 1.0 1\nrelu 10 10.0 1\n");
}

TEST_F(Extract, prints_json) {
    const auto result =
        extract({"--json", "-i", in_, "-o", out_, "-s", "/relu/2", "-d", "/gelu/5"});
    EXPECT_EQ(result.out,
              "{\n  \"output\": \"" + out_ +
                  "\",\n  \"copied\": [\n    {\n      \"from\": \"/relu/2\",\n      \"to\": "
                  "\"/gelu/5\"\n    }\n  ],\n  \"version\": 1\n}\n");
}

TEST_F(Extract, takes_what_failed_in_a_report) {
    test::write_file(folder_ / "v.json",
                     R"({"ops": [{"path": "/relu/2", "verdict": "pass"},
                                 {"path": "/relu/10/", "verdict": "fail"}]})");
    const auto result = extract({"-i", in_, "-o", out_, "--failed", (folder_ / "v.json").string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(runs_in(out_), "relu 10 10.0 1\n");
}

TEST_F(Extract, rejects_an_unknown_op_and_names_the_nearest) {
    const auto result = extract({"-i", in_, "-o", out_, "-s", "/relu/3"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err,
              "npuscope: error: '/relu/3' matches nothing in '" + in_ +
                  "'; the nearest are /relu/1, /relu/2 and /relu/10\n");
    EXPECT_FALSE(std::filesystem::exists(out_));
}

TEST_F(Extract, rejects_wrong_combinations_of_options) {
    EXPECT_EQ(extract({"-i", in_, "-o", out_}).exit_code, 2);
    EXPECT_EQ(extract({"-i", in_, "-o", out_, "-s", "/a", "-s", "/b", "-d", "/c"}).exit_code, 2);
    EXPECT_EQ(extract({"-i", in_, "-s", "/a"}).exit_code, 2);
    EXPECT_EQ(extract({"-i", in_, "-o", out_, "-s", "/a", "--failed", "v.json"}).exit_code, 2);
    EXPECT_EQ(extract({"-i", "none.h5", "-o", out_, "-s", "/a"}).exit_code, 2);
}

}  // namespace
}  // namespace npuscope
