// The results of CenterCropPad and Col2Im are held in opsets_test.cpp; here is what they refuse.
#include "tests/npu_backend/onnx/onnx_case.h"

namespace npuscope::test {
namespace {

class RefusedBlocks : public testing::TestWithParam<Bad> {};

TEST_P(RefusedBlocks, rejects_and_names_the_node) {
    const auto model =
        onnx_model::Model::load(onnx_case_path(std::string("bad_run_") + GetParam().name));
    Executor executor(Device::reference64());
    const NamedTensors inputs = {{"x", Tensor::zeros(DType::kFloat32, {2, 3})}};
    const std::string message =
        message_of(GetParam().kind, [&] { static_cast<void>(model.run(executor, inputs)); });
    EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Onnx,
    RefusedBlocks,
    testing::Values(
        Bad{"center_sizes",
            ErrorKind::kFormat,
            "node 'CenterCropPad_0' (CenterCropPad): it needs one size for each axis"},
        Bad{"center_negative", ErrorKind::kFormat, "a size is negative"},
        Bad{"col2im_blocks", ErrorKind::kFormat, "does not hold 9 blocks of 4 elements"},
        Bad{"col2im_image", ErrorKind::kFormat, "larger than the padded image"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace npuscope::test
