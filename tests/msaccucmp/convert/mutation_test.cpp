// Dumps damaged at random: whatever they say, convert ends with a code and writes only into its
// folder.
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/cann_dump/writer.h"
#include "msaccucmp/base/exit_codes.h"
#include "msaccucmp/convert/convert.h"
#include "tests/support/mutator.h"
#include "tests/support/support.h"

namespace npuscope::msaccucmp {
namespace {

std::string dump_of(const test::TempDir& folder) {
    const std::string bytes(2048, '\x3c');
    const auto part = [&](size_t count) { return std::as_bytes(std::span(bytes)).first(count); };
    cann_dump::DumpFile dump;
    dump.op_name = "scope/op";
    const auto add = [&](std::vector<cann_dump::DumpTensor>& list,
                         int64_t type,
                         int64_t format,
                         std::vector<int64_t> shape,
                         std::vector<int64_t> original,
                         size_t count) {
        cann_dump::DumpTensor& tensor = list.emplace_back();
        tensor.data_type = type;
        tensor.format = format;
        tensor.shape = std::move(shape);
        tensor.original_shape = std::move(original);
        tensor.bytes = part(count);
    };
    add(dump.inputs, 2, 3, {1, 1, 2, 2, 16}, {1, 5, 2, 2}, 128);
    add(dump.inputs, 2, 29, {1, 1, 16, 16}, {9, 11}, 512);
    add(dump.outputs, 1, 4, {2, 1, 16, 16}, {3, 5, 1, 2}, 2048);
    add(dump.outputs, 33, 0, {1, 2, 3, 4}, {}, 24);
    add(dump.outputs, 29, 2, {4, 4}, {}, 2);
    dump.outputs[0].sub_format = 1;
    dump.buffers.push_back({.bytes = part(3)});
    dump.spaces.push_back({.bytes = part(4)});
    dump.attributes.push_back({"ffts", R"({"threadMode": 0})"});
    cann_dump::write_dump(folder / "dump", dump);
    return test::read_file(folder / "dump");
}

std::set<std::string> names_in(const std::filesystem::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
        names.insert(std::filesystem::relative(entry.path(), folder).string());
    return names;
}

TEST(DamagedDump, is_converted_or_refused_without_harm) {
    const test::TempDir seed;
    const std::string sound = dump_of(seed);
    constexpr size_t kHeader = 190;  // the payload has nothing to misread
    test::Mutator mutate(20240611);
    const ArrayFileType types[] = {ArrayFileType::kNpy, ArrayFileType::kBin, ArrayFileType::kMsNpy};
    const char* formats[] = {nullptr, "NCHW", "ND", "NHWC", "FRACTAL_Z", "HWCN"};
    int converted = 0;
    for (int round = 0; round < 600; ++round) {
        const test::TempDir folder;
        std::string content = sound;
        for (size_t changes = 1 + mutate.below(3); changes > 0; --changes)
            mutate.change(content, sound, mutate.below(8) == 0 ? sound.size() : kHeader);
        if (content.empty()) content = "\x01";
        const std::string name =
            round % 9 == 0 ? "Opdebug.Node_OpDebug.1.2.3" : "Add.op.1.2.1700000000000001";
        test::write_file(folder / name, content);
        std::filesystem::create_directory(folder / "out");
        ConvertOptions options;
        options.dump_path = (folder / name).string();
        options.output_path = (folder / "out").string();
        options.type = types[mutate.below(3)];
        if (const char* format = formats[mutate.below(6)]) options.format = format;
        std::ostringstream text;
        Log log(text);
        const int code = convert(options, log);
        EXPECT_GE(code, 0);
        EXPECT_LE(code, 48);
        EXPECT_NE(code, kUnknownError) << text.str();
        EXPECT_EQ(text.str().find('\0'), std::string::npos);
        // Every failure has its line.
        EXPECT_EQ(code == kOk || text.str().find("[ERROR]") != std::string::npos, true) << code;
        const auto names = names_in(folder.path());
        for (const std::string& each : names)
            EXPECT_TRUE(each == name || each == "out" || each.starts_with("out/")) << each;
        converted += code == kOk;
    }
    EXPECT_GT(converted, 10);
    EXPECT_LT(converted, 500);
}

}  // namespace
}  // namespace npuscope::msaccucmp
