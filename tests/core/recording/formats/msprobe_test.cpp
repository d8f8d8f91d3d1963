#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/recording/formats/format.h"
#include "tests/support/support.h"

namespace npuscope {
namespace {

TEST(MsprobeFormat, is_told_by_the_name_of_its_file) {
    const test::TempDir folder;
    test::write_file(
        folder / "dump.json",
        R"({"task": "statistics", "data": {"Torch.exp.0.forward": {"output": [)"
        R"({"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], "Max": 1.0}]}}})");
    EXPECT_EQ(format_of(folder / "dump.json"), &k_msprobe_format);
    EXPECT_FALSE(is_array_file(folder / "dump.json"));
    EXPECT_EQ(open_source(folder / "dump.json").ops.size(), 1u);
}

TEST(MsprobeFormat, rejects_json_of_another_kind) {
    const test::TempDir folder;
    test::write_file(folder / "dump.json", "[]");
    EXPECT_THROW(static_cast<void>(open_source(folder / "dump.json")), Error);
}

}  // namespace
}  // namespace npuscope
