#include "core/cann_dump/folder.h"

#include <array>

#include <gtest/gtest.h>

#include "core/cann_dump/data_type.h"
#include "core/cann_dump/dump_error.h"
#include "core/cann_dump/op.h"
#include "core/cann_dump/writer.h"
#include "tests/support/support.h"

namespace npuscope::cann_dump {
namespace {

DumpFolder opened(const test::TempDir& folder, std::vector<std::string>* remarks = nullptr) {
    return DumpFolder(folder.path(), {}, [&](const std::string& remark) {
        if (remarks != nullptr) remarks->push_back(remark);
    });
}

TEST(DumpFolder, lists_ops_by_name_and_by_time) {
    const test::TempDir folder;
    for (const char* name : {"Add.late.3.2.1700000000000009",
                             "Mul.early.1.2.1700000000000001",
                             "Mul.early.1.2.1700000000000005",
                             "Sub.b.4.2.1700000000000007",
                             "Sub.a.4.2.1700000000000007"})
        test::write_file(folder / name, "");
    std::vector<std::string> remarks;
    test::write_file(folder / "readme", "");
    const DumpFolder dumps = opened(folder, &remarks);
    EXPECT_EQ(dumps.kind(), DumpKind::kOffline);
    std::vector<std::string> names;
    for (const auto& [name, entry] : dumps.by_time())
        names.push_back(name);
    EXPECT_EQ(names, (std::vector<std::string>{"early", "b", "a", "late"}));
    EXPECT_EQ(dumps.find("early")->newest().name, "Mul.early.1.2.1700000000000005");
    EXPECT_EQ(dumps.find("missing"), nullptr);
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_NE(remarks[0].find("readme"), std::string::npos);
}

TEST(DumpFolder, takes_names_from_the_mapping) {
    const test::TempDir folder;
    test::write_file(folder / "mapping.csv", "12,Add.a.3.2.17\n");
    test::write_file(folder / "12", "");
    EXPECT_NE(opened(folder).find("a"), nullptr);
}

TEST(DumpFolder, holds_the_outputs_of_a_golden_model) {
    const test::TempDir folder;
    test::write_file(folder / "scope_conv.0.17.npy", "");
    const DumpFolder dumps = opened(folder);
    EXPECT_EQ(dumps.kind(), DumpKind::kStandard);
    EXPECT_NE(dumps.find("scope/conv", 0), nullptr);
}

TEST(DumpFolder, rejects_folders_without_dumps_or_with_two_kinds) {
    const test::TempDir folder;
    const auto problem = [&] {
        try {
            static_cast<void>(opened(folder));
        } catch (const DumpError& error) {
            return std::optional(error.problem());
        }
        return std::optional<DumpProblem>();
    };
    EXPECT_EQ(problem(), DumpProblem::kFolder);
    test::write_file(folder / "Add.a.3.2.17", "");
    EXPECT_FALSE(problem().has_value());
    test::write_file(folder / "a.0.17.pb", "");
    EXPECT_EQ(problem(), DumpProblem::kFolder);
    EXPECT_THROW(DumpFolder(folder / "none", {}, [](const std::string&) {}), Error);
}

TEST(ReadOp, has_the_values_of_msaccucmp) {
    const test::TempDir folder;
    const std::array<uint8_t, 3> codes{0x08, 0x18, 0x20};
    DumpFile dump;
    DumpTensor& output = dump.outputs.emplace_back();
    output.data_type = static_cast<int64_t>(DataType::kHiFloat8);
    output.shape = Shape{3};
    output.bytes = std::as_bytes(std::span(codes));
    write_dump(folder / "Add.a.3.2.17", dump);
    const DumpedOp op = read_op({.path = folder / "Add.a.3.2.17", .name = "Add.a.3.2.17"});
    EXPECT_EQ(op.type, "Add");
    const Tensor& values = op.outputs.front().data.values;
    EXPECT_EQ(values.at(0), 1.25);
    EXPECT_EQ(values.at(1), 0.75);
    EXPECT_EQ(values.at(2), 4.0);
}

}  // namespace
}  // namespace npuscope::cann_dump
