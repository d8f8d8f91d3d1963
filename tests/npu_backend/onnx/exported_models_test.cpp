// Whole models as an exporter of today writes them: functions of its own domain, operators of their
// sequences.
#include "tests/npu_backend/onnx/onnx_case.h"

namespace npuscope::test {
namespace {

class ExportedByDynamo : public testing::TestWithParam<const char*> {
  protected:
    std::filesystem::path path() const {
        return source_dir() / "data" / "onnx_exported" / (std::string(GetParam()) + ".onnx");
    }
};

TEST_P(ExportedByDynamo, agrees_with_pytorch) {
    EXPECT_LE(error_on(path(), Device::reference64()), kTolerance);
    EXPECT_LE(error_on(path(), Device::reference32()), kTolerance);
}

/// Products of float16 inputs, some after another.
TEST_P(ExportedByDynamo, agrees_with_pytorch_on_the_chips) {
    constexpr double kFloat16 = 4e-3;
    EXPECT_LE(error_on(path(), Device::npu(chip("910A"))), kFloat16);
    EXPECT_LE(error_on(path(), Device::npu(chip("910B"))), kFloat16);
}

INSTANTIATE_TEST_SUITE_P(Onnx, ExportedByDynamo, testing::Values("bert", "llama", "t5"));

}  // namespace
}  // namespace npuscope::test
