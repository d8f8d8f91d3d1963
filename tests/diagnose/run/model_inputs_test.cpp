#include "diagnose/run/model_inputs.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/support.h"

namespace npuscope::diagnose {
namespace {

onnx_model::Model digits() {
    return onnx_model::Model::load(test::source_dir() / "data/models/digits_resnet.onnx");
}

TEST(SeededInputs, have_the_declared_shape_and_lie_between_minus_one_and_one) {
    const NamedTensors inputs = seeded_model_inputs(digits(), 7);
    ASSERT_EQ(inputs.size(), 1u);
    EXPECT_EQ(inputs[0].first, "input");
    EXPECT_EQ(inputs[0].second.shape(), (Shape{64, 1, 8, 8}));
    double sum = 0;
    for (const float value : inputs[0].second.as<float>()) {
        EXPECT_LE(std::abs(value), 1.0f);
        sum += value;
    }
    // 4096 draws of variance 1/3: the mean is within 5 standard deviations of 0.
    EXPECT_LT(std::abs(sum / 4096), 5 * std::sqrt(1.0 / 3 / 4096));
}

TEST(SeededInputs, follow_the_seed) {
    const onnx_model::Model model = digits();
    EXPECT_TRUE(identical(seeded_model_inputs(model, 3)[0].second,
                          seeded_model_inputs(model, 3)[0].second));
    EXPECT_FALSE(identical(seeded_model_inputs(model, 3)[0].second,
                           seeded_model_inputs(model, 4)[0].second));
}

onnx_model::Model case_model(const std::string& name) {
    return onnx_model::Model::load(test::source_dir() / "data/onnx_cases" / (name + ".onnx"));
}

TEST(SeededInputs, give_a_sequence_one_element_and_an_optional_no_content) {
    const NamedTensors sequence = seeded_model_inputs(case_model("sequence_input"), 3);
    ASSERT_EQ(sequence.size(), 2u);
    EXPECT_EQ(sequence[0].first, "s/0");
    EXPECT_EQ(sequence[0].second.shape(), (Shape{1}));
    const NamedTensors optional = seeded_model_inputs(case_model("optional_absent"), 3);
    ASSERT_EQ(optional.size(), 1u);
    EXPECT_EQ(optional[0].first, "x");
}

TEST(ModelInputs, take_the_elements_of_a_sequence) {
    const auto path = test::source_dir() / "data/onnx_cases/sequence_input.io.npz";
    const onnx_model::Model model = case_model("sequence_input");
    const NamedTensors inputs = read_model_inputs(model, path);
    ASSERT_EQ(inputs.size(), 3u);
    EXPECT_EQ(inputs[0].first, "s/0");
    EXPECT_NO_THROW(model.check_inputs(inputs));
    const NamedTensors expected = read_expected_outputs(model, path);
    ASSERT_EQ(expected.size(), 2u);
    EXPECT_EQ(expected[1].first, "y/1");
}

TEST(ModelInputs, accept_the_bare_name_and_the_prefixed_one_and_leave_outputs_out) {
    const test::TempDir folder;
    const onnx_model::Model model = digits();
    const Tensor values = Tensor::zeros(DType::kFloat32, {64, 1, 8, 8});
    for (const char* name : {"input", "in_input"}) {
        write_npz(folder / "in.npz", {{name, values}, {"out_logits", Tensor::scalar(1.0f)}});
        const NamedTensors inputs = read_model_inputs(model, folder / "in.npz");
        ASSERT_EQ(inputs.size(), 1u);
        EXPECT_EQ(inputs[0].first, "input");
    }
}

TEST(ModelInputs, rejects_another_name_and_lists_the_inputs) {
    const test::TempDir folder;
    write_npz(folder / "in.npz", {{"x", Tensor::scalar(1.0f)}});
    try {
        static_cast<void>(read_model_inputs(digits(), folder / "in.npz"));
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("input float32[64,1,8,8]"), std::string::npos)
            << error.what();
    }
}

TEST(ExpectedOutputs, rejects_a_file_without_any) {
    const test::TempDir folder;
    write_npz(folder / "e.npz", {{"in_input", Tensor::scalar(1.0f)}});
    EXPECT_THROW(static_cast<void>(read_expected_outputs(digits(), folder / "e.npz")), Error);
}

TEST(Labels, are_the_only_one_dimensional_integer_array) {
    const test::TempDir folder;
    const Tensor labels = Tensor::from<int32_t>({3}, {4, 5, 6});
    write_npz(folder / "l.npz", {{"x", Tensor::zeros(DType::kFloat32, {3})}, {"y", labels}});
    EXPECT_TRUE(identical(read_labels(folder / "l.npz"), labels.cast(DType::kInt64)));
    write_npz(folder / "two.npz", {{"a", labels}, {"b", labels}});
    EXPECT_THROW(static_cast<void>(read_labels(folder / "two.npz")), Error);
    write_npz(folder / "none.npz", {{"a", Tensor::scalar(1.0f)}});
    EXPECT_THROW(static_cast<void>(read_labels(folder / "none.npz")), Error);
}

}  // namespace
}  // namespace npuscope::diagnose
