// Kernel dumps under names that say nothing of the ops, as a device writes them, aligned by
// content.
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/cann_dump/name.h"
#include "core/cann_dump/reader.h"
#include "core/cann_dump/writer.h"
#include "diagnose/kernels/map.h"
#include "dumper/dump_scope.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

namespace fs = std::filesystem;
using test::TempDir;

Tensor numbers(Shape shape, uint32_t state) {
    Tensor tensor(DType::kFloat32, std::move(shape));
    for (float& value : tensor.mutable_as<float>()) {
        state = state * 1664525u + 1013904223u;
        value = static_cast<float>(state >> 8) / (1 << 23) - 1;
    }
    return tensor;
}

/// Three ops, of which two read the same tensor: conv(x), x + conv(x), mm of other things.
void run_ops(Executor& executor) {
    const Tensor x = numbers({2, 3, 4, 4}, 1);
    const Tensor y = executor.call("convolution",
                                   {x,
                                    numbers({3, 3, 3, 3}, 2),
                                    Value(),
                                    IntList{1, 1},
                                    IntList{1, 1},
                                    IntList{1, 1},
                                    false,
                                    IntList{0, 0},
                                    int64_t{1}});
    executor.call("add_Tensor", {x, y});
    executor.call("mm", {numbers({4, 5}, 3), numbers({5, 4}, 4)});
}

fs::path golden_of(const TempDir& folder) {
    const fs::path path = folder / "golden.h5";
    Executor executor(Device::reference64());
    dumper::DumpScope scope(executor, {.use_dump = true, .dump_path = path});
    run_ops(executor);
    static_cast<void>(scope.close());
    return path;
}

/// The emulated chip's kernels with a device's names: Conv2D_17 and the like.
fs::path device_dumps(const TempDir& folder,
                      const fs::path& golden,
                      const std::function<void(Executor&)>& prepare = {},
                      const std::string& mode = "all") {
    const std::string acl = (folder / "acl.json").string();
    test::write_file(acl,
                     R"({"dump": {"dump_path": ")" + (folder / "ours").string() +
                         R"(", "dump_op_switch": "on", "dump_mode": ")" + mode + R"("}})");
    MapOptions options;
    options.ops = golden;
    options.device = Device::npu(chip("910A"));
    options.acl = acl;
    options.prepare = prepare;
    const Mapping mapping = map_ops(options);
    const fs::path target = folder / "device";
    fs::create_directories(target / "deep");
    for (const auto& entry : fs::directory_iterator(mapping.folder)) {
        auto fields = *cann_dump::parse_file_name(entry.path().filename().string());
        fields.op_name = "trans_" + std::to_string(fields.task_id);
        fs::copy(entry.path(), target / "deep" / cann_dump::file_name(fields));
    }
    test::write_file(target / "notes.txt", "no dump");
    return target;
}

std::string kinds(const MappedOp& op) {
    std::string text;
    for (const MappedKernel& kernel : op.kernels)
        text += (text.empty() ? "" : " ") + kernel.type;
    return text;
}

Mapping map_from(const fs::path& golden, const fs::path& from) {
    MapOptions options;
    options.ops = golden;
    options.device = Device::npu(chip("910A"));
    options.from = from;
    return map_ops(options);
}

TEST(MapDevice, aligns_kernels_by_time_and_content) {
    const TempDir folder;
    const fs::path golden = golden_of(folder);
    const Mapping mapping = map_from(golden, device_dumps(folder, golden));
    ASSERT_EQ(mapping.ops.size(), 3u);
    EXPECT_EQ(kinds(mapping.ops[0]), "Cast Cast TransData TransData Conv2D TransData");
    EXPECT_EQ(kinds(mapping.ops[1]), "Add");
    EXPECT_EQ(kinds(mapping.ops[2]), "Cast Cast TransData TransData MatMul TransData");
    EXPECT_EQ(mapping.ops[0].match, "by time and contents; 1 of its 1 outputs found");
    EXPECT_FALSE(mapping.finding()) << to_text(mapping, false, true);
    const MappedKernel& product = mapping.ops[0].kernels[4];
    EXPECT_EQ(product.verdict_name(), "pass");
    EXPECT_EQ(product.inputs[0].from, "kernel 2 output 0");
    EXPECT_EQ(product.inputs[0].format, "NC1HWC0");
    EXPECT_EQ(product.inputs[0].stored_shape, (Shape{2, 1, 4, 4, 16}));
    EXPECT_EQ(mapping.ops[0].kernels[0].inputs[0].from, "input input");
    ASSERT_EQ(mapping.remarks.size(), 1u);
    EXPECT_NE(mapping.remarks[0].find("notes.txt"), std::string::npos);
}

TEST(MapDevice, names_the_kernel_of_the_device_that_went_wrong) {
    const TempDir folder;
    const fs::path golden = golden_of(folder);
    const fs::path from = device_dumps(folder, golden, [](Executor& executor) {
        executor.add_hook(HookPoint::kAfterKernel, "MatMul", [](HookCall& call) {
            (*call.kernel_outputs)[0].mutable_as<float>()[3] += 1e-3f;
        });
    });
    const Mapping mapping = map_from(golden, from);
    EXPECT_FALSE(mapping.ops[0].first_culprit);
    ASSERT_TRUE(mapping.ops[2].first_culprit) << to_text(mapping, false, true);
    EXPECT_EQ(mapping.ops[2].kernels[*mapping.ops[2].first_culprit].type, "MatMul");
    EXPECT_EQ(mapping.ops[2].kernels.back().verdict_name(), "pass");
}

TEST(MapDevice, aligns_by_outputs_where_inputs_were_not_dumped) {
    const TempDir folder;
    const fs::path golden = golden_of(folder);
    const Mapping mapping = map_from(golden, device_dumps(folder, golden, {}, "output"));
    EXPECT_EQ(kinds(mapping.ops[1]).substr(0, 3), "Tra");  // the conversion after the convolution
    EXPECT_NE(kinds(mapping.ops[0]).find("Conv2D"), std::string::npos);
    EXPECT_NE(kinds(mapping.ops[2]).find("MatMul"), std::string::npos);
    EXPECT_EQ(mapping.ops[0].kernels[0].verdict_name(), "unjudged");
    EXPECT_NE(mapping.ops[0].kernels[0].rule().find("\"dump_mode\": \"all\""), std::string::npos);
}

TEST(MapDevice, says_when_an_op_is_not_in_the_dumps) {
    const TempDir folder;
    const fs::path golden = golden_of(folder);
    const fs::path from = device_dumps(folder, golden);
    for (const auto& entry : fs::directory_iterator(from / "deep"))
        if (cann_dump::parse_file_name(entry.path().filename().string())->task_id > 7)
            fs::remove(entry.path());
    const Mapping mapping = map_from(golden, from);
    EXPECT_EQ(mapping.ops[1].kernels.size(), 1u);
    EXPECT_EQ(mapping.ops[2].skipped, "no kernel from here on reads its inputs");
}

TEST(MapDevice, aligns_its_own_dumps_by_name) {
    const TempDir folder;
    const fs::path golden = golden_of(folder);
    device_dumps(folder, golden);
    const Mapping mapping = map_from(golden, folder / "ours");
    EXPECT_EQ(mapping.ops[1].match, "by name; 1 of its 1 outputs found");
    EXPECT_EQ(kinds(mapping.ops[1]), "Add");
    EXPECT_FALSE(mapping.finding());
}

TEST(MapDevice, passes_over_damaged_files_and_rejects_a_folder_without_dumps) {
    const TempDir folder;
    const fs::path golden = golden_of(folder);
    const fs::path from = device_dumps(folder, golden);
    test::write_file(from / "Add.x.99.0.1", "\xff\xff\xff\xff\xff\xff\xff\xff damaged");
    const Mapping mapping = map_from(golden, from);
    EXPECT_EQ(mapping.remarks.size(), 2u);
    EXPECT_EQ(kinds(mapping.ops[1]), "Add");
    fs::create_directory(folder / "empty");
    EXPECT_THROW((void)map_from(golden, folder / "empty"), Error);
    EXPECT_THROW((void)map_from(golden, folder / "missing"), Error);
}

}  // namespace
}  // namespace npuscope::diagnose
