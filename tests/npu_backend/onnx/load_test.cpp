// Files that are no models, models that cannot run, and damaged ones.
#include <random>

#include "tests/npu_backend/onnx/onnx_case.h"

namespace npuscope::test {
namespace {

using onnx_model::Model;

class RefusedModel : public testing::TestWithParam<Bad> {};

TEST_P(RefusedModel, rejects_with_one_clear_line) {
    expect_refused(GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Onnx,
    RefusedModel,
    testing::Values(
        Bad{"missing_operators",
            ErrorKind::kUnsupported,
            "2 operators are not supported: StringNormalizer (2 nodes, the first '/first'), "
            "com.example.Fused (1 node, the first 'Fused_3'); export with other operators, bring "
            "them along as functions of the model, or cut the model before them"},
        Bad{"cycle",
            ErrorKind::kFormat,
            "node 'Add_0' (Add) uses 'b', which only a later one, node 'Relu_1' (Relu), makes"},
        Bad{"dangling_input",
            ErrorKind::kFormat,
            "node 'Add_0' (Add) uses 'nothing', which nothing in the model makes"},
        Bad{"dangling_output", ErrorKind::kFormat, "output 'y' uses 'y', which nothing"},
        Bad{"value_made_twice", ErrorKind::kFormat, "node 'Neg_1' (Neg) makes the value 'y' again"},
        Bad{"opset_0", ErrorKind::kUnsupported, "operator set 0 is not supported"},
        Bad{"opset_99", ErrorKind::kUnsupported, "export with one from 1 to 24"},
        Bad{"without_opset", ErrorKind::kFormat, "no complete ONNX model"},
        Bad{"without_graph", ErrorKind::kFormat, "no complete ONNX model"},
        Bad{"without_outputs", ErrorKind::kFormat, "declares no outputs"},
        Bad{"raw_size",
            ErrorKind::kFormat,
            "initializer 'w' of shape [3] and dtype float32 holds 9 bytes"},
        Bad{"raw_elements", ErrorKind::kFormat, "holds 12 bytes"},
        Bad{"field_elements", ErrorKind::kFormat, "holds 2 elements"},
        Bad{"huge_dims", ErrorKind::kFormat, "too many elements"},
        Bad{"large_dims", ErrorKind::kFormat, "holds 12 bytes"},
        Bad{"negative_dim", ErrorKind::kFormat, "negative dimension"},
        Bad{"external_data", ErrorKind::kFormat, "keeps its data in another file but names none"},
        Bad{"text_tensor", ErrorKind::kUnsupported, "element type STRING"},
        Bad{"sparse_initializer", ErrorKind::kUnsupported, "sparse initializers"},
        Bad{"unknown_attribute",
            ErrorKind::kUnsupported,
            "attribute 'slope' of node 'Relu_0' (Relu) is not supported"},
        Bad{"graph_attribute",
            ErrorKind::kFormat,
            "attribute 'value' of node 'Constant_0' (Constant): the graph declares no outputs"},
        Bad{"too_few_inputs",
            ErrorKind::kFormat,
            "node 'Conv_0' (Conv) takes 2 to 3 inputs; it has 1"},
        Bad{"too_many_inputs",
            ErrorKind::kFormat,
            "node 'Relu_0' (Relu) takes 1 to 1 inputs; it has 2"},
        Bad{"too_many_outputs", ErrorKind::kUnsupported, "node 'Relu_0' (Relu) has 2 outputs"},
        Bad{"map_input", ErrorKind::kUnsupported, "input 'x' is not declared as a tensor"},
        Bad{"float8_17", ErrorKind::kUnsupported, "element type FLOAT8E4M3FN, which is not"},
        Bad{"float8_20", ErrorKind::kUnsupported, "element type FLOAT8E5M2FNUZ, which is not"},
        Bad{"float8_22", ErrorKind::kUnsupported, "element type INT4, which is not"},
        Bad{"text_constant", ErrorKind::kUnsupported, "attribute 'value_string' of node"},
        Bad{"operator_ImageDecoder", ErrorKind::kUnsupported, "ImageDecoder (1 node, the first"},
        Bad{"operator_RegexFullMatch", ErrorKind::kUnsupported, "RegexFullMatch (1 node, the"},
        Bad{"operator_StringConcat", ErrorKind::kUnsupported, "StringConcat (1 node, the first"},
        Bad{"operator_StringSplit", ErrorKind::kUnsupported, "StringSplit (1 node, the first"},
        Bad{"input_without_shape", ErrorKind::kUnsupported, "declared without a shape"},
        Bad{"negative_input_dim", ErrorKind::kFormat, "negative dimension"},
        Bad{"text_input", ErrorKind::kUnsupported, "element type STRING"}),
    [](const auto& test) { return std::string(test.param.name); });

class FailingRun : public testing::TestWithParam<Bad> {};

TEST_P(FailingRun, rejects_and_names_the_node) {
    const Model model = Model::load(onnx_case_path(std::string("bad_run_") + GetParam().name));
    Executor executor(Device::reference64());
    const NamedTensors inputs = {{"x", Tensor::zeros(DType::kFloat32, {2, 3})}};
    const std::string message =
        message_of(GetParam().kind, [&] { static_cast<void>(model.run(executor, inputs)); });
    EXPECT_NE(message.find(GetParam().message), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Onnx,
    FailingRun,
    testing::Values(
        Bad{"reshape",
            ErrorKind::kFormat,
            "node 'Reshape_0' (Reshape): cannot reshape [2,3] to [4,2]"},
        Bad{"matmul", ErrorKind::kFormat, "shapes [2,3] and [2,3] do not fit"},
        Bad{"gather", ErrorKind::kFormat, "index 2 is outside an axis of 2"},
        Bad{"step", ErrorKind::kFormat, "a step is 0"},
        Bad{"axis", ErrorKind::kFormat, "axis 2 is outside a tensor of 2 dimensions"},
        Bad{"axis_type", ErrorKind::kFormat, "attribute 'axis' has the wrong type"},
        Bad{"perm", ErrorKind::kFormat, "an axis is given twice"},
        Bad{"split", ErrorKind::kFormat, "sizes [1,3] do not split an axis of 2 into 2 outputs"},
        Bad{"concat", ErrorKind::kFormat, "input 1 of shape [3] cannot be joined to [2,3]"},
        Bad{"broadcast", ErrorKind::kFormat, "shapes [2,3] and [4,3] do not broadcast"},
        Bad{"squeeze", ErrorKind::kFormat, "axis 0 of shape [2,3] is not 1"},
        Bad{"dtype", ErrorKind::kFormat, "different dtypes, float32 and int64"},
        Bad{"division", ErrorKind::kFormat, "node 'Div_0' (Div): an integer is divided by zero"},
        Bad{"size", ErrorKind::kFormat, "too large to be meant"},
        Bad{"cast", ErrorKind::kUnsupported, "element type STRING"},
        Bad{"zero_point",
            ErrorKind::kFormat,
            "node 'QuantizeLinear_0' (QuantizeLinear): its zero point is int32 and must be int8 "
            "or uint8"},
        Bad{"float8", ErrorKind::kUnsupported, "element type FLOAT8E5M2, which is not supported"},
        Bad{"dropout", ErrorKind::kUnsupported, "give it the attribute seed"},
        Bad{"big_tile", ErrorKind::kFormat, "too many elements"},
        Bad{"big_expand", ErrorKind::kFormat, "too many"},
        Bad{"big_reshape", ErrorKind::kFormat, "cannot reshape [2,3] to [4611686018427387904,8]"},
        Bad{"big_pad", ErrorKind::kFormat, "a pad of 4611686018427387904 elements is too large"},
        Bad{"big_slice", ErrorKind::kFormat, "axis 5 is outside"},
        Bad{"big_axis", ErrorKind::kFormat, "axis 4611686018427387904 is outside"},
        Bad{"big_kernel", ErrorKind::kFormat, "kernel_shape must be 1 numbers from 1 on, not"},
        Bad{"big_range", ErrorKind::kFormat, "it has too many elements"},
        Bad{"sequence", ErrorKind::kFormat, "input 0 is a sequence, where a tensor is needed"},
        Bad{"no_sequence", ErrorKind::kFormat, "input 0 is no sequence"},
        Bad{"sequence_place", ErrorKind::kFormat, "position 2 is outside a sequence of 2"},
        Bad{"sequence_dtype", ErrorKind::kFormat, "different dtypes, float32 and int64"},
        Bad{"sequence_join", ErrorKind::kFormat, "shape [3,2] cannot be joined to [2,3]"},
        Bad{"sequence_split", ErrorKind::kFormat, "sizes [1,3] do not split an axis of 2"},
        Bad{"sequence_empty", ErrorKind::kFormat, "the sequence is empty"},
        Bad{"absent", ErrorKind::kFormat, "its optional has no content"},
        Bad{"absent_tensor", ErrorKind::kFormat, "input 0 is an optional without content"},
        Bad{"few",
            ErrorKind::kFormat,
            "node 'TopK_0' (TopK): an input or attribute of it has too few"},
        Bad{"empty", ErrorKind::kFormat, "node 'Pad_0' (Pad): input 2 has no elements"},
        Bad{"window", ErrorKind::kFormat, "the window is larger than the padded input"},
        Bad{"stride", ErrorKind::kFormat, "strides must be 1 numbers from 1 on, not [0]"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(OnnxLoad, rejects_a_missing_file_and_a_directory) {
    const TempDir folder;
    const auto load = [](const std::filesystem::path& path) {
        return message_of(ErrorKind::kIo, [&] { static_cast<void>(Model::load(path)); });
    };
    EXPECT_NE(load(folder / "none.onnx").find("cannot open the model"), std::string::npos);
    EXPECT_NE(load(folder.path()).find("it is a directory"), std::string::npos);
}

TEST(OnnxLoad, rejects_empty_and_foreign_files) {
    const TempDir folder;
    const auto load = [&](const std::string& content) {
        const auto path = folder / "model.onnx";
        write_file(path, content);
        return message_of(ErrorKind::kFormat, [&] { static_cast<void>(Model::load(path)); });
    };
    EXPECT_NE(load("").find("the file is empty"), std::string::npos);
    EXPECT_NE(load("This is a text and no model.\n").find("no ONNX model"), std::string::npos);
    EXPECT_NE(load(std::string(4096, '\0')).find("no ONNX model"), std::string::npos);
}

/// Loads, and runs when that succeeds; anything but an Error ends the test program.
void load_and_run(const std::filesystem::path& path, const NamedTensors& inputs) {
    try {
        const Model model = Model::load(path);
        Executor executor(Device::reference32());
        static_cast<void>(model.run(executor, inputs));
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
}

class DamagedModel : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        const auto path = source_dir() / "data" / GetParam();
        content_ = read_file(path);
        inputs_ = arrays_of(io_path(path), "in_");
    }
    std::string content_;
    NamedTensors inputs_;
    TempDir folder_;
};

TEST_P(DamagedModel, rejects_every_cut) {
    for (size_t i = 0; i < 50; ++i) {
        const auto path = folder_ / "cut.onnx";
        write_file(path, content_.substr(0, content_.size() * i / 50));
        const std::string message =
            message_of(ErrorKind::kFormat, [&] { static_cast<void>(Model::load(path)); });
        EXPECT_FALSE(message.empty());
    }
}

TEST_P(DamagedModel, survives_flipped_bytes) {
    constexpr uint32_t kSeed = 20240611;
    RecordProperty("seed", static_cast<int>(kSeed));
    std::mt19937 random(kSeed);
    // Half of the flips hit the first 4 KiB, where a small graph has its nodes, not its weights.
    for (size_t i = 0; i < 200; ++i) {
        std::string damaged = content_;
        const size_t range = i % 2 == 0 ? damaged.size() : std::min<size_t>(damaged.size(), 4096);
        damaged[random() % range] = static_cast<char>(random() % 256);
        const auto path = folder_ / "flipped.onnx";
        write_file(path, damaged);
        load_and_run(path, inputs_);
    }
}

INSTANTIATE_TEST_SUITE_P(Onnx,
                         DamagedModel,
                         testing::Values("models/digits_resnet.onnx",
                                         "onnx_cases/conv_strided_dilated.onnx",
                                         "onnx_cases/shape_arithmetic.onnx",
                                         "onnx_cases/slice.onnx",
                                         "onnx_cases/half_initializers.onnx",
                                         "onnx_cases/constant_kinds.onnx"),
                         [](const auto& test) {
                             std::string name = std::filesystem::path(test.param).stem().string();
                             return name;
                         });

}  // namespace
}  // namespace npuscope::test
