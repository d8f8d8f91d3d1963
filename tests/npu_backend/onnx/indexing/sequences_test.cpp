#include "tests/npu_backend/onnx/onnx_case.h"

NPUSCOPE_ONNX_CASES(Sequences,
                    "sequence_changes",
                    "sequence_output",
                    "sequence_input",
                    "optional_given",
                    "optional_absent")

namespace npuscope::test {
namespace {

using onnx_model::Model;

std::string refusal(const std::string& model, const NamedTensors& inputs) {
    return message_of(ErrorKind::kUsage,
                      [&] { Model::load(onnx_case_path(model)).check_inputs(inputs); });
}

TEST(SequenceInputs, are_described_by_their_elements) {
    const Model model = Model::load(onnx_case_path("sequence_input"));
    EXPECT_EQ(model.inputs()[0].kind, onnx_model::ValueKind::kSequence);
    EXPECT_TRUE(model.takes("s/0"));
    EXPECT_TRUE(model.takes("x"));
    EXPECT_FALSE(model.takes("s"));
    EXPECT_FALSE(model.takes("s/"));
    EXPECT_FALSE(model.takes("s/first"));
}

TEST(SequenceInputs, rejects_gaps_wrong_dtypes_and_the_bare_name) {
    const Tensor x = Tensor::zeros(DType::kFloat32, {1});
    const std::string all = "; the model's inputs are 's' sequence of float32 [N], 'x' float32 [1]";
    EXPECT_NE(
        refusal("sequence_input", {{"x", x}, {"s/1", x}}).find("input 's/0' is not given" + all),
        std::string::npos);
    EXPECT_NE(refusal("sequence_input", {{"x", x}, {"s", x}}).find("there is no input 's'" + all),
              std::string::npos);
    EXPECT_NE(refusal("sequence_input", {{"x", x}, {"s/0", x.cast(DType::kInt32)}})
                  .find("input 's/0' is int32 [1]" + all),
              std::string::npos);
}

TEST(SequenceInputs, may_be_empty) {
    const Model model = Model::load(onnx_case_path("sequence_input"));
    Executor executor(Device::reference64());
    EXPECT_TRUE(model.run(executor, {{"x", Tensor::zeros(DType::kFloat32, {1})}}).empty());
}

}  // namespace
}  // namespace npuscope::test
