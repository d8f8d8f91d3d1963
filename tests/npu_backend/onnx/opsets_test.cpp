// Operator sets 18, 19 and 20: one model for each operator that they added or changed.
#include "tests/npu_backend/onnx/onnx_case.h"

namespace npuscope::test {
namespace {

std::vector<std::filesystem::path> models() {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator(source_dir() / "data" / "onnx_opsets"))
        if (entry.path().extension() == ".onnx") paths.push_back(entry.path());
    std::ranges::sort(paths);
    return paths;
}

class Opsets : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(Opsets, agree_with_numpy) {
    EXPECT_LE(error_on(GetParam(), Device::reference64()), kTolerance);
    EXPECT_LE(error_on(GetParam(), Device::reference32()), kTolerance);
}

/// Float16 is the coarsest that either computes in.
TEST_P(Opsets, agree_with_numpy_on_the_chips) {
    constexpr double kFloat16 = 4e-3;
    EXPECT_LE(error_on(GetParam(), Device::npu(chip("910A"))), kFloat16);
    EXPECT_LE(error_on(GetParam(), Device::npu(chip("910B"))), kFloat16);
}

INSTANTIATE_TEST_SUITE_P(Onnx, Opsets, testing::ValuesIn(models()), [](const auto& test) {
    return test.param.stem().string();
});

/// Not one file may be lost.
TEST(OpsetModels, cover_what_changed) {
    EXPECT_EQ(models().size(), 63u);
}

}  // namespace
}  // namespace npuscope::test
