// Folders of msprobe with damage of every kind: nothing but errors in one line comes of it.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/recording/source.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

constexpr const char* kDump =
    R"({"task": "statistics", "data": {"Tensor.add.0.forward": {"input_args": [{"type": )"
    R"("torch.Tensor", "dtype": "torch.float32", "shape": [2, 3], "Max": -1.5e3, "Min": NaN, )"
    R"("md5": "00ff", "data_name": "a.bin"}, {"type": "slice", "value": [0, null]}], )"
    R"("input_kwargs": {"\u00e9\"": {"type": "bool", "value": true}}, "output": [null], )"
    R"("is_nan": 0}}})";

/// Every byte would take long.
constexpr size_t kStep = 5;

/// Reads all there is to read; what is refused is refused in one line.
void read_all(const std::filesystem::path& folder) {
    const auto one_line = [](const Error& failure) {
        EXPECT_EQ(std::string(failure.what()).find('\n'), std::string::npos) << failure.what();
    };
    try {
        const Source source = open_source(folder);
        for (const SourceOp& op : source.ops) {
            try {
                static_cast<void>(op.facts());
                for (const SourceTensor& tensor : op.load())
                    if (tensor.open) static_cast<void>(tensor.open()->whole());
            } catch (const Error& failure) {
                one_line(failure);
            }
        }
    } catch (const Error& failure) {
        one_line(failure);
    }
}

TEST(MsprobeDamage, of_a_byte_or_the_end_ends_in_one_line) {
    const test::TempDir folder;
    std::filesystem::create_directories(folder / "dump_tensor_data");
    test::write_file(folder / "dump_tensor_data/a.bin", std::string(24, '\1'));
    test::write_file(folder / "construct.json", kDump);
    test::write_file(folder / "stack.json", kDump);
    const std::string whole = kDump;
    for (size_t i = 0; i < whole.size(); i += kStep)
        for (const std::string& put :
             std::vector<std::string>{"", "\"", "{", "]", "\\", "9", "\n", std::string(1, '\0')}) {
            std::string damaged = whole;
            damaged.replace(i, 1, put);
            test::write_file(folder / "dump.json", damaged);
            read_all(folder.path());
        }
    for (size_t i = 0; i < whole.size(); i += kStep) {
        test::write_file(folder / "dump.json", whole.substr(0, i));
        EXPECT_THROW(static_cast<void>(open_source(folder.path())), Error) << i;
    }
}

TEST(MsprobeDamage, of_size_and_depth_ends_in_one_line) {
    const test::TempDir folder;
    const std::string deep(1 << 20, '[');
    for (
        const std::string& text : std::vector<std::string>{
            R"({"data": {"a": )" + deep,
            R"({"data": )" + deep,
            R"({"data": {"a": {"input": [)" + std::string(60, '[') + std::string(60, ']') + "]}}}",
            R"({"data": {")" + std::string(1 << 20, 'x') + R"(": {"output": 3}}})",
            R"({"data": {"a\n\u001b[31m": {"output": [{"dtype": "x", "shape": [1], "Max": ]}]}}})",
            R"({"data": {"a": {"output": [{"dtype": "torch.float32", "data_name": "a.bin", "shape":)"
            R"( [1000000000, 1000000000]}]}}})"}) {
        test::write_file(folder / "dump.json", text);
        read_all(folder.path());
    }
}

}  // namespace
}  // namespace npuscope
