#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/npz/npy.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

test::RunResult npuscope_run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {test::program("npuscope"), "run"});
    return test::run(arguments);
}

TEST(RunCommand, both_references_meet_the_stored_outputs_of_onnxruntime) {
    for (const std::string model : {"digits_resnet", "digits_vit"})
        for (const std::string reference : {"fp64", "fp32"}) {
            const std::string io = test::models() + "/" + model + ".io.npz";
            const test::RunResult result = npuscope_run({test::models() + "/" + model + ".onnx",
                                                         "--device",
                                                         "cpu",
                                                         "--reference",
                                                         reference,
                                                         "--input",
                                                         io,
                                                         "--expect",
                                                         io});
            EXPECT_EQ(result.exit_code, 0) << model << " " << reference << "\n"
                                           << result.out << result.err;
            EXPECT_NE(result.out.find(": met (tolerance 1e-05)"), std::string::npos) << result.out;
        }
}

TEST(RunCommand, an_expectation_that_is_not_met_exits_with_1) {
    const test::RunResult result = npuscope_run({test::models() + "/digits_resnet.onnx",
                                                 "--chip",
                                                 "910A",
                                                 "--input",
                                                 test::models() + "/digits_resnet.io.npz",
                                                 "--expect",
                                                 test::models() + "/digits_resnet.io.npz"});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.out.find("NOT met"), std::string::npos) << result.out;
}

TEST(RunCommand, batch_slices_give_the_same_outputs_as_the_batch_itself) {
    const test::TempDir folder;
    const std::string out = (folder / "out.npz").string();
    const test::RunResult result = npuscope_run({test::models() + "/digits_resnet.onnx",
                                                 "--device",
                                                 "cpu",
                                                 "--batch",
                                                 "--input",
                                                 test::models() + "/digits_test.npz",
                                                 "--labels",
                                                 test::models() + "/digits_test.npz",
                                                 "--output",
                                                 out});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    // 395 of 397: what PyTorch, which trained the network, counts.
    EXPECT_NE(result.out.find("accuracy  395/397"), std::string::npos) << result.out;
    const NamedTensors sliced = read_npz(out);
    ASSERT_EQ(sliced.size(), 1u);
    EXPECT_EQ(sliced[0].first, "out_logits");
    EXPECT_EQ(sliced[0].second.shape(), (Shape{397, 10}));
    // The stored io file holds the first 64 images.
    for (const auto& [name, stored] : read_npz(test::models() + "/digits_resnet.io.npz")) {
        if (name != "out_logits") continue;
        for (int64_t i = 0; i < stored.numel(); ++i)
            EXPECT_NEAR(sliced[0].second.at(i), stored.at(i), 1e-4);
    }
}

TEST(RunCommand, without_inputs_prints_the_seed_and_follows_it) {
    const auto output_line = [](const std::string& seed) {
        const std::string out =
            npuscope_run(
                {test::models() + "/digits_resnet.onnx", "--device", "cpu", "--seed", seed})
                .out;
        EXPECT_NE(out.find("seed " + seed), std::string::npos);
        return out.substr(out.find("output "),
                          out.find('\n', out.find("output ")) - out.find("output "));
    };
    EXPECT_EQ(output_line("5"), output_line("5"));
    EXPECT_NE(output_line("5"), output_line("6"));
}

TEST(RunCommand, json_is_one_object_that_another_parser_reads) {
    const test::TempDir folder;
    const test::RunResult result = npuscope_run(
        {test::models() + "/digits_resnet.onnx", "--json", "--dump", (folder / "d.h5").string()});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const test::RunResult parsed = test::run_python(
        "import json,sys; o=json.loads(sys.argv[1]); print(o['ops'], o['dump']['ops_written'], "
        "o['dump']['complete'])",
        {result.out});
    EXPECT_EQ(parsed.out, "21 21 True\n") << parsed.err;
}

TEST(RunCommand, prints_json_of_names_that_are_no_utf8) {
    const test::TempDir folder;
    std::string model = test::read_file(test::models() + "/digits_resnet.onnx");
    for (size_t at = model.find("logits"); at != std::string::npos; at = model.find("logits", at))
        model.replace(at, 6, "logit\xff");
    test::write_file(folder / "odd.onnx", model);
    const test::RunResult result = npuscope_run({folder / "odd.onnx", "--json"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("logit\xEF\xBF\xBD"), std::string::npos) << result.out;
}

TEST(RunCommand, load_mode_feeds_the_golden_inputs_and_dumps_outputs_only) {
    const test::TempDir folder;
    const std::string golden = (folder / "golden.h5").string();
    const std::string target = (folder / "npu.h5").string();
    const std::string model = test::models() + "/digits_resnet.onnx";
    const std::string io = test::models() + "/digits_resnet.io.npz";
    ASSERT_EQ(npuscope_run({model, "--device", "cpu", "--input", io, "--dump", golden}).exit_code,
              0);
    const test::RunResult result =
        npuscope_run({model, "--input", io, "--load", golden, "--dump", target});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find("0 ops without a match"), std::string::npos) << result.out;
    const test::RunResult seen = test::run_python(
        "import h5py,sys\nf=h5py.File(sys.argv[1]); n=[0,0]\n"
        "f.visititems(lambda k,o: n.__setitem__('/input' in k, n['/input' in k]+1) if "
        "isinstance(o,h5py.Dataset) else None)\n"
        "print(n[0]>0, n[1])",
        {target});
    EXPECT_EQ(seen.out, "True 0\n") << seen.err;
}

TEST(RunCommand, check_overflow_of_a_clean_run_writes_no_file) {
    const test::TempDir folder;
    const test::RunResult result = npuscope_run(
        {test::models() + "/digits_resnet.onnx", "--check-overflow", (folder / "o.h5").string()});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_FALSE(std::filesystem::exists(folder / "o.h5"));
}

std::vector<std::string> step_with(std::vector<std::string> more) {
    std::vector<std::string> arguments = {test::models() + "/digits_step.onnx",
                                          "--input",
                                          test::models() + "/digits_step.io.npz",
                                          "--amp-level",
                                          "O1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

TEST(RunCommand, a_static_loss_scale_can_be_used_while_overflow_is_checked) {
    const test::TempDir folder;
    const test::RunResult result = npuscope_run(step_with({"--loss-scale",
                                                           "1024",
                                                           "--check-overflow",
                                                           (folder / "o.h5").string(),
                                                           "--expect",
                                                           test::models() + "/digits_step.io.npz",
                                                           "--tolerance",
                                                           "1e-2"}));
    EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
    EXPECT_NE(result.out.find("loss      scale 1024: no overflow; gradients divided by it"),
              std::string::npos)
        << result.out;
    EXPECT_FALSE(std::filesystem::exists(folder / "o.h5"));
}

TEST(RunCommand, a_dynamic_loss_scale_shrinks_and_is_told_in_json) {
    const test::RunResult result = npuscope_run(step_with({"--loss-scale", "dynamic", "--json"}));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const test::RunResult parsed = test::run_python(
        "import json,sys; print(json.loads(sys.argv[1])['loss_scale'])", {result.out});
    EXPECT_EQ(parsed.out, "[{'overflow': False, 'scale': 65536.0, 'skipped': False}]\n");
}

TEST(RunCommand, a_loss_scale_that_overflows_exits_with_1) {
    const test::RunResult result = npuscope_run(step_with({"--loss-scale", "1e12"}));
    EXPECT_EQ(result.exit_code, 1) << result.err;
    EXPECT_NE(result.out.find("scale 1e+12: overflow"), std::string::npos) << result.out;
}

TEST(RunCommand, rejects_a_dynamic_loss_scale_while_overflow_is_checked) {
    const test::RunResult result =
        npuscope_run(step_with({"--loss-scale", "dynamic", "--check-overflow", "o.h5"}));
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.out, "");
    EXPECT_NE(
        result.err.find("both rely on the device's one float status; set a static loss scale"),
        std::string::npos)
        << result.err;
}

TEST(RunCommand, rejects_a_loss_scale_without_sense) {
    for (const std::string scale : {"much", "-1", "0", "inf"}) {
        const test::RunResult result = npuscope_run(step_with({"--loss-scale=" + scale}));
        EXPECT_EQ(result.exit_code, 2) << scale;
        EXPECT_NE(result.err.find("loss scale"), std::string::npos) << result.err;
    }
    const test::RunResult no_step =
        npuscope_run({test::models() + "/digits_resnet.onnx", "--loss-scale", "1024"});
    EXPECT_EQ(no_step.exit_code, 2);
    EXPECT_NE(no_step.err.find("no scalar float input 'loss_scale'"), std::string::npos);
    EXPECT_EQ(npuscope_run(step_with({"--loss-scale", "2", "--batch"})).exit_code, 2);
}

TEST(RunCommand, rejects_load_without_dump_and_overflow_with_dump) {
    EXPECT_EQ(npuscope_run({test::models() + "/digits_resnet.onnx", "--load", "x.h5"}).exit_code,
              2);
    EXPECT_EQ(
        npuscope_run(
            {test::models() + "/digits_resnet.onnx", "--dump", "x.h5", "--check-overflow", "y.h5"})
            .exit_code,
        2);
}

TEST(RunCommand, dumps_the_kernels_of_a_model) {
    const test::TempDir folder;
    test::write_file(folder / "acl.json", R"({"dump": {"dump_path": "out", "dump_list": []}})");
    const test::RunResult result = test::run({test::program("npuscope"),
                                              "run",
                                              test::models() + "/digits_resnet.onnx",
                                              "-q",
                                              "--acl",
                                              "acl.json"},
                                             folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.out.find(": 73 dumps\n"), std::string::npos) << result.out;
    const test::RunResult listed = test::run_python(
        "import glob, sys; print(len(glob.glob(sys.argv[1] + '/out/*/0/digits_resnet/0/0/*')))",
        {folder.path().string()});
    EXPECT_EQ(listed.out, "73\n");
}

TEST(RunCommand, while_loading_dumps_the_kernels_of_loaded_ops_only) {
    const test::TempDir folder;
    const std::string npuscope = test::program("npuscope");
    const std::string model = test::models() + "/digits_resnet.onnx";
    const auto here = [&](std::vector<std::string> command) {
        return test::run(std::move(command), folder.path());
    };
    ASSERT_EQ(here({npuscope, "run", model, "-q", "--device", "cpu", "--dump", "g.h5"}).exit_code,
              0);
    ASSERT_EQ(here({npuscope,
                    "extract",
                    "-p",
                    "-i",
                    "g.h5",
                    "-o",
                    "one.h5",
                    "-s",
                    "/addmm/21",
                    "-d",
                    "/addmm/21"})
                  .exit_code,
              0);
    test::write_file(folder / "acl.json", R"({"dump": {"dump_path": "out"}})");
    const std::vector<std::string> load = {
        npuscope, "run", model, "-q", "--load", "one.h5", "--dump", "l.h5", "--acl", "acl.json"};
    const test::RunResult result = here(load);
    EXPECT_NE(result.out.find("/0: 8 dumps\n"), std::string::npos) << result.out << result.err;
    std::vector<std::string> logged = {
        "env", "ASCEND_SLOG_PRINT_TO_STDOUT=1", "ASCEND_GLOBAL_LOG_LEVEL=1"};
    logged.insert(logged.end(), load.begin(), load.end());
    EXPECT_NE(here(logged).out.find("/Muls.addmm_21_0."), std::string::npos);
    std::vector<std::string> refused = {"env", "ACL_DUMP_DATA=1"};
    refused.insert(refused.end(), load.begin(), load.end());
    const test::RunResult error = here(refused);
    EXPECT_EQ(error.exit_code, 2);
    EXPECT_NE(error.err.find("export ACL_DUMP_DATA=0"), std::string::npos) << error.err;
}

}  // namespace
}  // namespace npuscope
