#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/recording/formats/format.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

TEST(FolderFormat, opens_the_one_dump_of_msprobe_below) {
    const test::TempDir folder;
    std::filesystem::create_directories(folder / "step0" / "rank0");
    test::write_file(
        folder / "step0" / "rank0" / "dump.json",
        R"({"task": "statistics", "data": {"Torch.exp.0.forward": {"output": [)"
        R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0}]}}})");
    EXPECT_EQ(format_of(folder.path()), &k_folder_format);
    EXPECT_EQ(open_source(folder.path()).ops.size(), 1u);
}

TEST(FolderFormat, rejects_an_empty_one) {
    const test::TempDir folder;
    EXPECT_THROW(static_cast<void>(open_source(folder.path())), Error);
}

}  // namespace
}  // namespace npuscope
