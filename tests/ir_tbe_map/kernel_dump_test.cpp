#include "ir_tbe_map/kernel_dump.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/cann_dump/op_debug.h"
#include "core/cann_dump/reader.h"
#include "tests/ir_tbe_map/fake_executor.h"
#include "tests/support/support.h"

namespace npuscope::ir_tbe_map {
namespace {

namespace fs = std::filesystem;
using test::FakeExecutor;
using test::RunResult;
using test::TempDir;

Tensor vector_of(std::initializer_list<float> values) {
    return Tensor::from<float>({static_cast<int64_t>(values.size())}, values);
}

KernelDumpOptions options_of(const TempDir& folder, const std::string& fields) {
    // 2023-11-14 22:13:20 UTC and some microseconds.
    return {.config = parse_acl_config(R"({"dump": {"dump_path": ")" + folder.path().string() +
                                           R"(")" + (fields.empty() ? "" : ", ") + fields + "}}",
                                       "acl.json"),
            .now = [] { return uint64_t{1700000000000007}; }};
}

const std::string kOn = R"("dump_op_switch": "on", "dump_mode": "all")";

std::vector<std::string> files_below(const fs::path& folder) {
    std::vector<std::string> names;
    if (fs::exists(folder))
        for (const auto& entry : fs::recursive_directory_iterator(folder))
            if (entry.is_regular_file())
                names.push_back(fs::relative(entry.path(), folder).string());
    std::sort(names.begin(), names.end());
    return names;
}

TEST(KernelDump, names_files_as_the_manual_says) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpScope scope(npu, options_of(folder, kOn));
    npu.begin_op("add.Tensor");
    npu.kernel("Cast", {vector_of({1})}, {vector_of({1})});
    npu.kernel("Add", {vector_of({1}), vector_of({2})}, {vector_of({3})});
    const KernelDumpSummary summary = scope.close();
    ASSERT_EQ(summary.kernels.size(), 2u);
    EXPECT_EQ(summary.kernels[1].names,
              std::vector<std::string>{"Add.add_Tensor_1_1.2.3.1700000000000008"});
    EXPECT_EQ(summary.folder.filename(), "0");
    const std::string time = summary.folder.parent_path().filename();
    EXPECT_EQ(time.size(), 14u);
    EXPECT_EQ(time.find_first_not_of("0123456789"), std::string::npos);
    EXPECT_EQ(summary.folder.parent_path().parent_path(), folder.path());
    EXPECT_EQ(files_below(summary.folder),
              (std::vector<std::string>{"Add.add_Tensor_1_1.2.3.1700000000000008",
                                        "Cast.add_Tensor_1_0.1.3.1700000000000007"}));
}

/// By hand: length of the header, then for input and output the payloads.
TEST(KernelDump, writes_inputs_then_outputs_behind_the_header) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpScope scope(npu, options_of(folder, kOn));
    npu.begin_op("neg");
    npu.kernel("Neg", {vector_of({1, 2})}, {vector_of({-1, -2})});
    const KernelDumpSummary summary = scope.close();
    const RunResult read = test::run_python(
        R"(
import sys, struct
data = open(sys.argv[1], 'rb').read()
head = struct.unpack('<Q', data[:8])[0]
print(struct.unpack('<4f', data[8 + head:]), b'neg_1_0' in data[8:8 + head])
)",
        {(summary.folder / summary.kernels[0].names[0]).string()});
    EXPECT_EQ(read.out, "(1.0, 2.0, -1.0, -2.0) True\n") << read.err;
}

TEST(KernelDump, keeps_inputs_or_outputs_as_the_mode_says) {
    for (const auto& [mode, inputs, outputs] :
         {std::tuple{"input", 1, 0}, {"output", 0, 1}, {"all", 1, 1}}) {
        const TempDir folder;
        FakeExecutor npu;
        KernelDumpScope scope(
            npu,
            options_of(folder,
                       R"("dump_op_switch": "on", "dump_mode": ")" + std::string(mode) + "\""));
        npu.begin_op("neg");
        npu.kernel("Neg", {vector_of({1})}, {vector_of({-1})});
        const KernelDumpSummary summary = scope.close();
        const cann_dump::DumpFile file =
            cann_dump::read_dump(summary.folder / summary.kernels.at(0).names.at(0));
        EXPECT_EQ(file.inputs.size(), static_cast<size_t>(inputs)) << mode;
        EXPECT_EQ(file.outputs.size(), static_cast<size_t>(outputs)) << mode;
        EXPECT_EQ(file.dump_time, 1700000000000007u);
    }
}

TEST(KernelDump, gives_two_dumps_of_one_second_a_folder_each) {
    const TempDir folder;
    FakeExecutor npu;
    std::vector<std::string> folders;
    for (int i = 0; i < 2; ++i) {
        KernelDumpScope scope(npu, options_of(folder, kOn));
        npu.begin_op("neg");
        npu.kernel("Neg", {vector_of({1})}, {vector_of({-1})});
        folders.push_back(scope.close().folder.string());
    }
    EXPECT_NE(folders[0], folders[1]);
}

TEST(KernelDump, makes_no_folder_when_no_kernel_comes) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpScope scope(npu, options_of(folder, kOn));
    EXPECT_TRUE(scope.close().folder.empty());
    EXPECT_TRUE(files_below(folder.path()).empty());
}

TEST(KernelDump, of_a_model_lies_below_its_name_number_and_step) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpOptions options = options_of(folder, R"("dump_step": "1-2")");
    options.model_name = "res net";
    options.model_id = 7;
    KernelDumpScope scope(npu, options);
    for (const int64_t step : {0, 1, 2, 3}) {
        npu.begin_op("neg", "Neg_0", step);
        npu.kernel("Neg", {vector_of({1})}, {vector_of({-1})});
    }
    const KernelDumpSummary summary = scope.close();
    ASSERT_EQ(summary.kernels.size(), 2u);
    EXPECT_EQ(summary.kernels[0].names[0].substr(0, 13), "res_net/7/1/N");
    EXPECT_EQ(summary.kernels[1].names[0].substr(0, 13), "res_net/7/2/N");
}

TEST(KernelDump, follows_lists_of_layers_types_and_ranges) {
    const auto kept = [](const std::string& fields) {
        const TempDir folder;
        FakeExecutor npu;
        KernelDumpOptions options = options_of(folder, fields);
        options.model_name = "net";
        KernelDumpScope scope(npu, options);
        for (const char* node : {"a", "b", "c", "d"}) {
            npu.begin_op("neg", node);
            npu.kernel("Cast", {vector_of({1})}, {vector_of({1})});
            npu.kernel("Neg", {vector_of({1})}, {vector_of({-1})});
        }
        std::string names;
        for (const KernelFiles& kernel : scope.close().kernels)
            names += kernel.type.substr(0, 1) + std::to_string(kernel.seqid);
        return names;
    };
    EXPECT_EQ(kept(""), "C1N1C2N2C3N3C4N4");
    EXPECT_EQ(kept(R"("dump_level": "op")"), "N1N2N3N4");
    EXPECT_EQ(kept(R"("dump_list": [{"model_name": "net", "layer": ["b", "neg_4"]}])"), "C2N2C4N4");
    EXPECT_EQ(kept(R"("dump_level": "op", "dump_list": [{"model_name": "net",
                      "opname_range": [{"begin": "b", "end": "c"}]}])"),
              "N2");
    EXPECT_EQ(kept(R"("dump_level": "op", "dump_list": [{"opname_blacklist": [{"name": "c"}]}])"),
              "N1N2N4");
    EXPECT_EQ(kept(R"("dump_level": "op", "dump_list": [{"optype_blacklist": [{"name": "Neg"}]}])"),
              "");
    EXPECT_THROW((void)kept(R"("dump_list": [{"model_name": "other"}])"), Error);
}

TEST(KernelDump, leaves_out_single_tensors) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpOptions options = options_of(folder,
                                           R"("dump_mode": "all", "dump_level": "op", "dump_list": [
                       {"optype_blacklist": [{"name": "Add", "pos": ["input1", "output0"]}]}])");
    options.model_name = "net";
    KernelDumpScope scope(npu, options);
    npu.begin_op("add");
    npu.kernel("Add", {vector_of({1}), vector_of({2})}, {vector_of({3})});
    const KernelDumpSummary summary = scope.close();
    const cann_dump::DumpFile file =
        cann_dump::read_dump(summary.folder / summary.kernels.at(0).names.at(0));
    EXPECT_EQ(file.inputs.size(), 1u);
    EXPECT_TRUE(file.outputs.empty());
}

TEST(KernelDump, keeps_only_what_is_wanted) {
    const TempDir folder;
    FakeExecutor npu;
    bool wanted = false;
    KernelDumpOptions options = options_of(folder, kOn);
    options.wanted = [&wanted] { return wanted; };
    KernelDumpScope scope(npu, options);
    for (const bool now : {false, true, false}) {
        wanted = now;
        npu.begin_op("neg");
        npu.kernel("Neg", {vector_of({1})}, {vector_of({-1})});
    }
    const KernelDumpSummary summary = scope.close();
    ASSERT_EQ(summary.kernels.size(), 1u);
    EXPECT_EQ(summary.kernels[0].seqid, 2);
}

TEST(KernelDump, with_dump_debug_keeps_kernels_that_overflowed_and_their_record) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpScope scope(npu, options_of(folder, R"("dump_debug": "on")"));
    npu.begin_op("mul");
    npu.kernel("Cast", {vector_of({1})}, {vector_of({1})}, FloatStatus::kUnderflow);
    npu.kernel("Mul", {vector_of({1})}, {vector_of({2})}, FloatStatus::kOverflow);
    const KernelDumpSummary summary = scope.close();
    ASSERT_EQ(summary.kernels.size(), 1u);
    EXPECT_EQ(summary.kernels[0].type, "Mul");
    ASSERT_EQ(summary.debug_files,
              std::vector<std::string>{"Opdebug.Node_OpDebug.2.3.1700000000000007"});
    const cann_dump::DumpFile kernel =
        cann_dump::read_dump(summary.folder / summary.kernels[0].names[0]);
    EXPECT_EQ(kernel.inputs.size(), 1u);  // whatever the mode says
    const cann_dump::DumpReader record(summary.folder / summary.debug_files[0]);
    ASSERT_EQ(record.file().outputs.size(), 1u);
    EXPECT_EQ(*record.file().outputs[0].shape, std::vector<int64_t>{2048});
    const auto bytes = record.read(record.file().outputs[0]);
    const auto parsed = cann_dump::OpDebugRecord::parse({bytes.data(), bytes.size()});
    EXPECT_EQ(parsed.ai_core.status, 32u);
    EXPECT_EQ(parsed.ai_core.task_id, 2u);
    EXPECT_EQ(parsed.ai_core.stream_id, 3u);
}

/// By hand; padding is not counted, and the shape is the stored one.
TEST(KernelDump, writes_statistics_in_place_of_elements) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpScope scope(npu,
                          options_of(folder, R"("dump_op_switch": "on", "dump_data": "stats")"));
    npu.begin_op("relu");
    const float inf = std::numeric_limits<float>::infinity();
    npu.kernel("Relu", {}, {vector_of({-2, 4, 1, std::nanf("")})}, 0, "NC1HWC0");
    npu.kernel("Relu", {}, {vector_of({1, inf})});
    const KernelDumpSummary summary = scope.close();
    const auto text = [&](size_t i) {
        return test::read_file(summary.folder / summary.kernels.at(i).names.at(0));
    };
    EXPECT_EQ(text(0),
              "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min Value,Avg Value,"
              "Count,Nan Count,Negative Inf Count,Positive Inf Count\n"
              "Output,0,64,float32,NC1HWC0,1x1x1x1x16,4,-2,1,4,1,0,0\n");
    EXPECT_NE(text(1).find("\nOutput,0,8,float32,ND,2,inf,1,inf,2,0,0,1\n"), std::string::npos)
        << text(1);
    EXPECT_EQ(summary.kernels[0].names[0], "Relu.relu_1_0.1.3.1700000000000007.csv");
}

TEST(KernelDump, writes_the_statistics_that_are_asked_for) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpScope scope(npu,
                          options_of(folder,
                                     R"("dump_op_switch": "on", "dump_data": "stats",
                                        "dump_stats": ["L2norm", "Min"])"));
    npu.begin_op("relu");
    npu.kernel("Relu", {}, {vector_of({3, -4})});
    const KernelDumpSummary summary = scope.close();
    EXPECT_EQ(test::read_file(summary.folder / summary.kernels.at(0).names.at(0)),
              "Input/Output,Index,Data Size,Data Type,Format,Shape,Min Value,Count,L2norm Value\n"
              "Output,0,8,float32,ND,2,-4,2,5\n");
}

TEST(KernelDump, gives_long_names_digits_and_a_line_in_mapping_csv) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpScope scope(npu, options_of(folder, kOn));
    npu.begin_op(std::string(300, 'x'));
    npu.kernel("Neg", {vector_of({1})}, {vector_of({-1})});
    const KernelDumpSummary summary = scope.close();
    const std::string name = summary.kernels.at(0).names.at(0);
    EXPECT_EQ(name.find_first_not_of("0123456789"), std::string::npos) << name;
    EXPECT_EQ(test::read_file(summary.folder / "mapping.csv"),
              name + ",Neg." + std::string(300, 'x') + "_1_0.1.3.1700000000000007\n");
}

TEST(KernelDump, rejects_single_operators_with_the_switch_off) {
    const TempDir folder;
    FakeExecutor npu;
    EXPECT_THROW(KernelDumpScope(npu, options_of(folder, "")), Error);
}

TEST(KernelDump, tells_at_the_end_that_files_could_not_be_written) {
    const TempDir folder;
    FakeExecutor npu;
    KernelDumpOptions options = options_of(folder, kOn);
    test::write_file(folder / "file", "");
    options.config.dump_path = folder / "file";
    KernelDumpScope scope(npu, options);
    npu.begin_op("neg");
    npu.kernel("Neg", {vector_of({1})}, {vector_of({-1})});
    try {
        static_cast<void>(scope.close());
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what())
                      .find("1 kernels could not be dumped; the first: Neg of "
                            "neg_1: cannot make the folder"),
                  std::string::npos)
            << error.what();
    }
}

}  // namespace
}  // namespace npuscope::ir_tbe_map
