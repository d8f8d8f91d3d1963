// What a user sees when something is wrong: one clear line on stderr, exit code 2, nothing under a
// final name.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/support.h"

namespace npuscope::test {
namespace {

namespace fs = std::filesystem;

const std::string kModel = (source_dir() / "data/models/digits_resnet.onnx").string();
const std::string kInputs = (source_dir() / "data/models/digits_resnet.io.npz").string();

RunResult npuscope(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), program("npuscope"));
    return run(arguments);
}

/// One line that begins as our errors do and holds each of `words`.
void expect_error_line(const RunResult& result, const std::vector<std::string>& words) {
    EXPECT_EQ(result.exit_code, 2) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_TRUE(result.err.starts_with("npuscope: error: ")) << result.err;
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    for (const std::string& word : words)
        EXPECT_NE(result.err.find(word), std::string::npos) << word << " in " << result.err;
}

/// Writes a .npz with NumPy: `arrays` is Python source for keyword arguments of numpy.savez.
void save_npz(const fs::path& path, const std::string& arrays) {
    const RunResult made =
        run_python("import sys,numpy as np; np.savez(sys.argv[1]," + arrays + ")", {path.string()});
    ASSERT_EQ(made.exit_code, 0) << made.err;
}

/// Runs a shell line with files limited to `blocks` of 1024 bytes: what a full disk does to a
/// writer.
RunResult run_with_little_space(int blocks, const std::string& line) {
    return run({"bash", "-c", "ulimit -f " + std::to_string(blocks) + "; exec " + line});
}

TEST(BadInput, rejects_a_missing_model) {
    expect_error_line(npuscope({"run", "no_such.onnx", "--device", "cpu"}),
                      {"no_such.onnx", "No such file"});
}

TEST(BadInput, rejects_a_directory_as_model) {
    const TempDir folder;
    expect_error_line(npuscope({"check", folder.path().string()}),
                      {folder.path().string(), "directory"});
}

TEST(BadInput, rejects_a_truncated_model) {
    const TempDir folder;
    const std::string whole = read_file(kModel);
    for (const double part : {0.0, 0.1, 0.5, 0.999}) {
        write_file(folder / "cut.onnx",
                   whole.substr(0, static_cast<size_t>(static_cast<double>(whole.size()) * part)));
        expect_error_line(npuscope({"run", (folder / "cut.onnx").string(), "--device", "cpu"}),
                          {"cut.onnx"});
    }
}

TEST(BadInput, rejects_a_model_that_is_text) {
    const TempDir folder;
    write_file(folder / "model.onnx", "this is no protobuf\n");
    expect_error_line(npuscope({"run", (folder / "model.onnx").string(), "--device", "cpu"}),
                      {"model.onnx"});
}

TEST(BadInput, rejects_a_wrong_input_name_and_lists_the_inputs) {
    const TempDir folder;
    save_npz(folder / "in.npz", "pixels=np.zeros((64,1,8,8),np.float32)");
    expect_error_line(
        npuscope({"run", kModel, "--device", "cpu", "--input", (folder / "in.npz").string()}),
        {"pixels", "input float32[64,1,8,8]"});
}

TEST(BadInput, rejects_a_wrong_input_shape) {
    const TempDir folder;
    save_npz(folder / "in.npz", "input=np.zeros((3,1,8,8),np.float32)");
    expect_error_line(
        npuscope({"run", kModel, "--device", "cpu", "--input", (folder / "in.npz").string()}),
        {"[3,1,8,8]", "[64,1,8,8]"});
}

TEST(BadInput, rejects_a_wrong_input_dtype) {
    const TempDir folder;
    save_npz(folder / "in.npz", "input=np.zeros((64,1,8,8),np.int32)");
    expect_error_line(
        npuscope({"run", kModel, "--device", "cpu", "--input", (folder / "in.npz").string()}),
        {"int32", "float32"});
}

TEST(BadInput, rejects_a_missing_input_array) {
    const TempDir folder;
    save_npz(folder / "in.npz", "out_logits=np.zeros((64,10),np.float32)");
    expect_error_line(
        npuscope({"run", kModel, "--device", "cpu", "--input", (folder / "in.npz").string()}),
        {"input"});
}

TEST(BadInput, rejects_a_damaged_npz) {
    const TempDir folder;
    const std::string whole = read_file(kInputs);
    write_file(folder / "in.npz", whole.substr(0, whole.size() / 2));
    expect_error_line(
        npuscope({"run", kModel, "--device", "cpu", "--input", (folder / "in.npz").string()}),
        {"in.npz"});
}

TEST(BadInput, rejects_an_unknown_chip_device_reference_option_and_command) {
    expect_error_line(npuscope({"run", kModel, "--chip", "910Z"}), {"910Z", "910A", "910B"});
    expect_error_line(npuscope({"run", kModel, "--device", "tpu"}), {"tpu", "cpu"});
    expect_error_line(npuscope({"run", kModel, "--device", "cpu", "--reference", "fp8"}),
                      {"fp8", "fp64"});
    expect_error_line(npuscope({"run", kModel, "--no-such-option"}),
                      {"--no-such-option", "npuscope run --help"});
    expect_error_line(npuscope({"frobnicate"}), {"npuscope --help"});
}

TEST(BadInput, rejects_a_dump_that_is_cut_in_half) {
    const TempDir folder;
    const std::string dump = (folder / "whole.h5").string();
    ASSERT_EQ(
        npuscope({"run", kModel, "--device", "cpu", "--input", kInputs, "--dump", dump}).exit_code,
        0);
    const std::string whole = read_file(dump);
    const std::string cut = (folder / "cut.h5").string();
    write_file(cut, whole.substr(0, whole.size() / 2));
    expect_error_line(npuscope({"compare", "-m", cut, "-g", dump}), {"cut.h5", "cut short"});
    expect_error_line(npuscope({"inspect", cut}), {"cut.h5"});
    expect_error_line(npuscope({"overflow", cut}), {"cut.h5"});
    expect_error_line(npuscope({"extract",
                                "-i",
                                cut,
                                "-o",
                                (folder / "o.h5").string(),
                                "-s",
                                "/relu/2",
                                "-d",
                                "/relu/2"}),
                      {"cut.h5"});
    expect_error_line(npuscope({"run",
                                kModel,
                                "--input",
                                kInputs,
                                "--load",
                                cut,
                                "--dump",
                                (folder / "l.h5").string()}),
                      {"cut.h5"});
    EXPECT_FALSE(fs::exists(folder / "o.h5"));
    EXPECT_FALSE(fs::exists(folder / "l.h5"));
}

TEST(BadInput, rejects_text_as_a_dump) {
    const TempDir folder;
    write_file(folder / "text.h5", "not hdf5");
    expect_error_line(npuscope({"inspect", (folder / "text.h5").string()}),
                      {"text.h5", "not an HDF5 file"});
}

TEST(BadInput, rejects_outputs_in_a_folder_that_is_not_there) {
    const TempDir folder;
    const std::string there = (folder / "missing/dump.h5").string();
    expect_error_line(npuscope({"run", kModel, "--input", kInputs, "--dump", there}), {"missing"});
    expect_error_line(
        npuscope(
            {"run", kModel, "--input", kInputs, "--output", (folder / "missing/o.npz").string()}),
        {"missing"});
    expect_error_line(
        npuscope({"check", kModel, "--input", kInputs, "-o", (folder / "missing/out").string()}),
        {"missing"});
}

TEST(BadInput, a_full_disk_leaves_nothing_under_a_final_name) {
    const TempDir folder;
    const std::string dump = (folder / "dump.h5").string();
    RunResult result = run_with_little_space(
        64, program("npuscope") + " run " + kModel + " --input " + kInputs + " --dump " + dump);
    // Unless the run is at its end, a line says at once that dumping has stopped.
    const std::string notice = "npuscope: dumping has stopped, the program goes on: ";
    if (result.err.starts_with(notice)) result.err.erase(0, result.err.find('\n') + 1);
    expect_error_line(result, {"dump.h5"});
    EXPECT_FALSE(fs::exists(dump));
    const std::string output = (folder / "o.npz").string();
    const RunResult outputs = run_with_little_space(
        1, program("npuscope") + " run " + kModel + " --input " + kInputs + " --output " + output);
    expect_error_line(outputs, {"o.npz"});
    EXPECT_FALSE(fs::exists(output));
}

TEST(BadInput, a_full_standard_output_is_an_error) {
    const RunResult result =
        run({"bash", "-c", program("npuscope") + " run " + kModel + " --device cpu > /dev/full"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
}

TEST(BadInput, a_full_standard_output_is_an_error_of_long_results_too) {
    // More than the buffer holds: the last piece alone may fit.
    const RunResult result = run({"bash", "-c", program("npuscope") + " help ops > /dev/full"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("standard output"), std::string::npos) << result.err;
    const RunResult read =
        run({"bash", "-c", program("npuscope") + " help ops | head -n 1; echo ${PIPESTATUS[0]}"});
    EXPECT_TRUE(read.out.ends_with("\n0\n")) << read.out;
    EXPECT_EQ(read.err, "");
}

TEST(BadInput, a_hostile_file_name_cannot_forge_a_line) {
    const RunResult result = npuscope({"run", "a\nnpuscope: all is well\x1b[2J.onnx"});
    expect_error_line(result, {"a\\x0anpuscope"});
}

TEST(BadInput, a_killed_run_leaves_no_final_name) {
    const TempDir folder;
    const std::string dump = (folder / "dump.h5").string();
    // Killed as soon as the part file holds something.
    const RunResult result =
        run({"bash",
             "-c",
             program("npuscope") + " run " + kModel + " --input " + kInputs + " --dump " + dump +
                 " & pid=$!; while [ ! -s " + dump +
                 ".part.h5 ] && kill -0 $pid 2>/dev/null; do :; done; kill -9 $pid; wait $pid"});
    if (result.exit_code == 137) {
        EXPECT_FALSE(fs::exists(dump));
        EXPECT_TRUE(fs::exists(dump + ".part.h5"));
    } else {
        EXPECT_EQ(result.exit_code, 0) << "the run ended before the kill";
    }
}

}  // namespace
}  // namespace npuscope::test
