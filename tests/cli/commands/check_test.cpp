#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/support.h"

namespace npuscope {
namespace {

test::RunResult check(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {test::program("npuscope"), "check"});
    return test::run(arguments);
}

TEST(CheckCommand, the_digits_models_pass_on_every_chip) {
    for (const std::string model : {"digits_resnet", "digits_vit"})
        for (const std::string chip : {"910A", "310P", "910B", "A3", "950"}) {
            const test::RunResult result = check({test::models() + "/" + model + ".onnx",
                                                  "--input",
                                                  test::models() + "/" + model + ".io.npz",
                                                  "--chip",
                                                  chip});
            EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
            EXPECT_TRUE(result.out.starts_with("PASS")) << result.out;
        }
}

TEST(CheckCommand, gradients_that_float16_loses_are_told_and_not_blamed_on_an_op) {
    const test::RunResult result = check({test::models() + "/digits_step.onnx",
                                          "--input",
                                          test::models() + "/digits_step.io.npz",
                                          "--chip",
                                          "910A"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("off by more than float16 results usually are"), std::string::npos)
        << result.out;
    EXPECT_NE(
        result.out.find("  computes  matrix products (float32): fp16 inputs, fp32 sums (as npu "
                        "910A states, 5 ops)\n"),
        std::string::npos)
        << result.out;
}

TEST(CheckCommand, overflow_on_the_goldens_inputs_is_out_of_range) {
    const test::RunResult result = check({test::models() + "/digits_resnet.onnx",
                                          "--input",
                                          test::models() + "/digits_16bit.npz",
                                          "--chip",
                                          "910A",
                                          "--json"});
    ASSERT_EQ(result.exit_code, 1) << result.err;
    const auto root = nlohmann::json::parse(result.out);
    EXPECT_EQ(root["first_culprit"]["path"], "/convolution/1");
    // It receives no overflow in the free run, and saturates on the golden's inputs.
    EXPECT_EQ(root["ops"].back()["verdict"], "out_of_range");
    EXPECT_EQ(root["ops"].back()["rule"], "overflows on the golden's inputs, raised by Cast");
}

TEST(CheckCommand, tells_the_options_that_were_set) {
    const test::TempDir folder;
    const std::string file = (folder / "options.json").string();
    std::ofstream(file) << R"({"cube_acc": "tree16_rne", "cube_split_k": 2})";
    const test::RunResult result = check({"--chip",
                                          "910B",
                                          "--set-file",
                                          file,
                                          "--set",
                                          "cube_acc=blk16_exact",
                                          "--precision-mode",
                                          "force_fp16",
                                          "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    for (const char* part : {"cube_acc=blk16_exact", "cube_split_k=2", "precision_mode=force_fp16"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

TEST(CheckCommand, rejects_unknown_options_with_a_list) {
    const test::RunResult result = check({"--set", "cube=1"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("cube_acc"), std::string::npos);
    EXPECT_EQ(check({"--precision-mode", "half"}).exit_code, 2);
    EXPECT_EQ(check({"--amp-level", "O9"}).exit_code, 2);
}

TEST(RunCommand, counts_the_elements_that_depend_on_the_cubes_order) {
    const test::RunResult result = test::run({test::program("npuscope"),
                                              "run",
                                              test::models() + "/digits_vit.onnx",
                                              "--input",
                                              test::models() + "/digits_vit.io.npz",
                                              "--cube-range"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("depend on the order of the sum"), std::string::npos) << result.out;
}

TEST(CheckCommand, writes_dumps_verdicts_and_a_report) {
    const test::TempDir folder;
    const auto out = folder / "out";
    const test::RunResult result = check({test::models() + "/digits_vit.onnx",
                                          "--input",
                                          test::models() + "/digits_vit.io.npz",
                                          "-o",
                                          out.string()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    for (const char* name : {"golden.h5", "npu.h5", "isolated.h5", "verdicts.json", "report.html"})
        EXPECT_TRUE(std::filesystem::exists(out / name)) << name;
    const auto verdicts = nlohmann::json::parse(test::read_file(out / "verdicts.json"));
    EXPECT_EQ(verdicts["verdict"], "pass");
    EXPECT_TRUE(verdicts["first_culprit"].is_null());
    EXPECT_GT(verdicts["counts"]["compared"], 30);
    // The Cube of the 910A takes float16: a matrix product cannot be exact there.
    for (const auto& op : verdicts["ops"])
        if (op["path"].get<std::string>().starts_with("/mm/")) {
            EXPECT_EQ(op["compute_type"], "float16");
            EXPECT_GT(op["introduced"], 1e-6);
        }
}

TEST(CheckCommand, without_a_model_checks_the_built_in_sample) {
    const test::RunResult result = check({"--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto verdict = nlohmann::json::parse(result.out);
    EXPECT_EQ(verdict["model"], "digits_resnet.onnx");
    EXPECT_EQ(verdict["changed_predictions"]["samples"], 64);
}

TEST(CheckCommand, takes_a_golden_file_instead_of_the_reference) {
    const test::TempDir folder;
    const std::string golden = (folder / "golden.h5").string();
    const std::string model = test::models() + "/digits_resnet.onnx";
    const std::string io = test::models() + "/digits_resnet.io.npz";
    ASSERT_EQ(test::run({test::program("npuscope"),
                         "run",
                         model,
                         "--device",
                         "cpu",
                         "--input",
                         io,
                         "--dump",
                         golden})
                  .exit_code,
              0);
    const test::RunResult result = check({model, "--input", io, "--golden", golden});
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST(CheckCommand, a_damaged_golden_file_fails_the_op_that_it_damages) {
    const test::TempDir folder;
    const std::string golden = (folder / "golden.h5").string();
    const std::string model = test::models() + "/digits_resnet.onnx";
    const std::string io = test::models() + "/digits_resnet.io.npz";
    ASSERT_EQ(test::run({test::program("npuscope"),
                         "run",
                         model,
                         "--device",
                         "cpu",
                         "--input",
                         io,
                         "--dump",
                         golden})
                  .exit_code,
              0);
    // 2 % more in one op's output only: its isolated run must not reproduce that.
    const test::RunResult damaged = test::run_python(
        "import h5py,sys\nf=h5py.File(sys.argv[1],'r+')\n"
        "old=f['/convolution/5/output/result']; a=dict(old.attrs); v=old[()]*1.02\n"
        "del f['/convolution/5/output/result']\n"
        "new=f.create_dataset('/convolution/5/output/result',data=v)\n"
        "[new.attrs.create(k,x) for k,x in a.items()]",
        {golden});
    ASSERT_EQ(damaged.exit_code, 0) << damaged.err;
    const test::RunResult result = check({model, "--input", io, "--golden", golden, "--json"});
    EXPECT_EQ(result.exit_code, 1) << result.err;
    const auto verdict = nlohmann::json::parse(result.out);
    EXPECT_EQ(verdict["first_culprit"]["path"], "/convolution/5") << verdict["headline"];
    EXPECT_EQ(verdict["counts"]["failed"], 1);
}

TEST(CheckCommand, names_the_kernel_at_fault_and_keeps_its_dumps) {
    const test::TempDir folder;
    const test::RunResult result = test::run({test::program("npuscope"),
                                              "check",
                                              test::models() + "/pyramid.onnx",
                                              "-q",
                                              "--precision-mode",
                                              "force_fp16",
                                              "-o",
                                              "out"},
                                             folder.path());
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("\n  kernel      Conv2DTranspose (6 of 8): g leaves the range of "
                              "float16"),
              std::string::npos)
        << result.out;
    const test::RunResult read = test::run_python(R"(
import json, os, sys
os.chdir(sys.argv[1])
op = [o for o in json.load(open('out/verdicts.json'))['ops'] if o['kernel_folder']][0]
row = op['kernel_rows'][op['first_kernel']]
mapping = json.load(open('out/map/mapping.json'))
files = os.listdir(op['kernel_folder'])
print(row['type'], row['overflow'], row['files'][0] in files, mapping['ops'][0]['path'] == op['path'],
      len([f for f in files if f.startswith('Opdebug.Node_OpDebug.')]))
)",
                                                  {folder.path().string()});
    EXPECT_EQ(read.out, "Conv2DTranspose True True True 1\n") << read.err;
}

}  // namespace
}  // namespace npuscope
