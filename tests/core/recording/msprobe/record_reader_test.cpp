#include "core/recording/msprobe/record_reader.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace npuscope::msprobe {
namespace {

using dumpfile::Direction;

RecordContent read(const std::string& text, const std::string& name = "Tensor.add.0.forward") {
    return read_record({.name = name, .text = text}, "/nowhere");
}

TEST(RecordReader, lists_inputs_before_outputs_whatever_their_order) {
    const RecordContent content = read(
        R"({"output": [{"type": "torch.Tensor", "dtype": "torch.bfloat16", "shape": [2, 3]}],)"
        R"( "input_args": [{"type": "mindspore.Tensor", "dtype": "Float32", "shape": []}, null],)"
        R"( "input_kwargs": {"other": [{"dtype": "torch.int64", "shape": [4]}]},)"
        R"( "parameters": {"weight": {"dtype": "torch.float32", "shape": [1]}}})");
    ASSERT_EQ(content.tensors.size(), 4u);
    EXPECT_EQ(content.tensors[0].path, "Tensor.add.0.forward.input.0");
    EXPECT_EQ(content.tensors[0].dtype, "float32");
    EXPECT_EQ(content.tensors[1].argument, "other.0");
    EXPECT_EQ(content.tensors[2].argument, "parameters.weight");
    EXPECT_EQ(content.tensors[3].path, "Tensor.add.0.forward.output.0");
    EXPECT_EQ(content.tensors[3].dtype, "bfloat16");
    EXPECT_EQ(content.tensors[3].shape, (Shape{2, 3}));
    EXPECT_EQ(content.tensors[3].direction, Direction::kOutput);
}

TEST(RecordReader, reads_statistics_hashes_and_the_float_status) {
    const RecordContent content = read(
        R"({"output": [{"dtype": "torch.float16", "shape": [2], "Max": Infinity, "Min": "-inf",)"
        R"( "Mean": NaN, "Norm": null, "md5": "1a2b3c4d"}, {"dtype": "torch.bool", "shape": [2],)"
        R"( "Max": true, "Min": false}, {"dtype": "torch.float16", "shape": [0], "Max": null}],)"
        R"( "is_nan": 1})");
    ASSERT_EQ(content.tensors.size(), 3u);
    const RecordedStatistics first = content.tensors[0].statistics.value();
    EXPECT_EQ(first.max, INFINITY);
    EXPECT_EQ(first.min, -INFINITY);
    EXPECT_TRUE(std::isnan(first.mean.value()));
    EXPECT_FALSE(first.norm);
    EXPECT_EQ(content.tensors[0].hash, "1a2b3c4d");
    EXPECT_EQ(content.tensors[1].statistics->max, 1);
    EXPECT_EQ(content.tensors[1].statistics->min, 0);
    EXPECT_FALSE(content.tensors[2].statistics);
    EXPECT_EQ(content.is_nan, true);
    EXPECT_EQ(read(R"({"is_nan": 0})").is_nan, false);
    EXPECT_FALSE(read(R"({"is_nan": null})").is_nan);
}

TEST(RecordReader, reads_what_our_export_says_of_the_precision_and_no_other_word) {
    const RecordContent content = read(
        R"({"output": [{"dtype": "torch.float32", "shape": [2], "compute_type": "hf32"},)"
        R"( {"dtype": "torch.float32", "shape": [2], "compute_type": "fp\u0031"},)"
        R"( {"dtype": "torch.float32", "shape": [2], "compute_type": 16}]})");
    ASSERT_EQ(content.tensors.size(), 3u);
    EXPECT_EQ(content.tensors[0].compute_type, ComputeType::kHFloat32);
    EXPECT_EQ(content.tensors[1].compute_type, ComputeType::kNone);
    EXPECT_EQ(content.tensors[2].compute_type, ComputeType::kNone);
}

TEST(RecordReader, reads_plain_arguments_of_every_type_but_devices) {
    const RecordContent content = read(
        R"({"input_args": [[{"type": "int", "value": 2}, {"type": "float", "value": 0.5}],)"
        R"( {"type": "slice", "value": [0, null, 2]}, {"type": "torch.Size", "value": [3, 4]}],)"
        R"( "input_kwargs": {"p": {"type": "bool", "value": true}, "dtype": {"type":)"
        R"( "torch.dtype", "value": "torch.float16"}, "device": {"type": "torch.device",)"
        R"( "value": "npu:0"}, "memory_format": {"type": "torch.memory_format", "format":)"
        R"( "channels_last"}, "shape": [{"type": "int", "value": 7}], "none": {"type": "NoneType",)"
        R"( "value": null}}})");
    std::string text;
    for (const PlainArgument& each : content.arguments) {
        text += each.name + "=" + each.text;
        for (const double number : each.numbers)
            text += " " + std::to_string(number).substr(0, 3);
        text += each.is_list ? "[];" : ";";
    }
    EXPECT_EQ(text,
              "0.0= 2.0;0.1= 0.5;1=[0,null,2][];2= 3.0 4.0[];p= 1.0;dtype=float16;"
              "memory_format=channels_last;shape.0= 7.0;");
}

TEST(RecordReader, takes_gradients_of_parameters_and_saved_values_for_results) {
    const RecordContent content =
        read(R"({"weight": [{"dtype": "torch.float32", "shape": [1]}], "bias": [null]})",
             "Module.fc.Linear.parameters_grad.0");
    ASSERT_EQ(content.tensors.size(), 1u);
    EXPECT_EQ(content.tensors[0].argument, "weight.0");
    EXPECT_EQ(content.tensors[0].direction, Direction::kOutput);
    EXPECT_EQ(read(R"({"dtype": "torch.float32", "shape": [1]})", "loss.0.debug").tensors[0].path,
              "loss.0.debug.output.0");
}

TEST(RecordReader, tells_a_shape_that_is_none_and_reads_no_number_of_it) {
    for (const std::string shape : {"[-1]",
                                    "[1e30]",
                                    "[1.5]",
                                    "[\"a\"]",
                                    "[null]",
                                    "[1152921504606846976, 1152921504606846976]"}) {
        const SourceTensor tensor =
            read(R"({"output": [{"dtype": "torch.float32", "Max": 1, "shape": )" + shape + "}]}")
                .tensors.at(0);
        EXPECT_EQ(tensor.problem, "its shape is none") << shape;
        EXPECT_FALSE(tensor.statistics) << shape;
    }
}

TEST(RecordReader, follows_no_name_that_leads_out_of_the_folder) {
    for (const std::string name :
         {"../../etc/passwd", "/etc/passwd", "..", "a/b.pt", "a\\u0000.pt"}) {
        const SourceTensor tensor =
            read(R"({"output": [{"dtype": "torch.float32", "shape": [1], "data_name": ")" + name +
                 R"("}]})")
                .tensors.at(0);
        EXPECT_FALSE(tensor.open) << name;
        EXPECT_NE(tensor.problem.find("is no plain name"), std::string::npos) << name;
    }
}

TEST(RecordReader, rejects_damaged_records_by_name) {
    for (const std::string text :
         {R"({"output": [{"Max": x}]})", R"({"output": {"a" 1}})", R"({"input": [1 2]})"}) {
        try {
            static_cast<void>(read(text));
            FAIL() << text;
        } catch (const Error& failure) {
            EXPECT_TRUE(std::string(failure.what()).starts_with("record 'Tensor.add.0.forward': "))
                << failure.what();
        }
    }
}

}  // namespace
}  // namespace npuscope::msprobe
