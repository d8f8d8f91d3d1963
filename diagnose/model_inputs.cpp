#include "diagnose/model_inputs.h"

#include <algorithm>
#include <random>
#include <string>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::diagnose {

namespace {

std::string quoted(const std::filesystem::path& path) {
    return "'" + printable(path.string()) + "'";
}

}  // namespace

std::string describe_inputs(const onnx_model::Model& model) {
    std::string text;
    for (const onnx_model::TensorInfo& input : model.inputs()) {
        if (!text.empty()) text += ", ";
        text += printable(input.name) + " ";
        if (input.optional) text += "optional ";
        if (input.kind == onnx_model::ValueKind::kSequence) text += "sequence of ";
        text += std::string(name_of(input.dtype));
        if (!input.shape_known) continue;
        text += "[";
        for (size_t axis = 0; axis < input.shape.size(); ++axis) {
            if (axis > 0) text += ',';
            const bool symbolic = input.shape[axis] < 0;
            const bool named =
                symbolic && axis < input.symbols.size() && !input.symbols[axis].empty();
            text += !symbolic ? std::to_string(input.shape[axis])
                    : named   ? printable(input.symbols[axis])
                              : "?";
        }
        text += "]";
    }
    return text;
}

NamedTensors read_model_inputs(const onnx_model::Model& model, const std::filesystem::path& path) {
    NamedTensors inputs;
    for (auto& [name, tensor] : read_npz(path)) {
        std::string input = name;
        if (!model.takes(input)) {
            if (input.starts_with("out_")) continue;
            if (input.starts_with("in_")) input = input.substr(3);
        }
        if (!model.takes(input))
            throw Error(ErrorKind::kUsage,
                        "the array '" + printable(name) + "' in " + quoted(path) +
                            " is no input of the model; its inputs are: " + describe_inputs(model));
        inputs.emplace_back(input, std::move(tensor));
    }
    return inputs;
}

NamedTensors seeded_model_inputs(const onnx_model::Model& model, uint64_t seed) {
    std::mt19937_64 generator(seed);
    NamedTensors inputs;
    for (const onnx_model::TensorInfo& input : model.inputs()) {
        if (input.optional) continue;
        const std::string name =
            input.kind == onnx_model::ValueKind::kSequence ? input.name + "/0" : input.name;
        Shape shape = input.shape;
        std::replace_if(
            shape.begin(), shape.end(), [](int64_t dim) { return dim < 0; }, 1);
        if (!is_float(input.dtype)) {
            inputs.emplace_back(name, Tensor::zeros(input.dtype, std::move(shape)));
            continue;
        }
        Tensor values(DType::kFloat64, std::move(shape));
        for (double& value : values.mutable_as<double>())
            value = static_cast<double>(generator() >> 11) * 0x1p-52 - 1.0;
        inputs.emplace_back(name, values.cast(input.dtype));
    }
    return inputs;
}

NamedTensors read_expected_outputs(const onnx_model::Model& model,
                                   const std::filesystem::path& path) {
    NamedTensors expected;
    const NamedTensors arrays = read_npz(path);
    for (const onnx_model::TensorInfo& output : model.outputs())
        for (const auto& [name, tensor] : arrays)
            if (name == "out_" + output.name || (output.kind == onnx_model::ValueKind::kSequence &&
                                                 name.starts_with("out_" + output.name + "/")))
                expected.emplace_back(name.substr(4), tensor);
    if (expected.empty()) {
        std::string names;
        for (const onnx_model::TensorInfo& output : model.outputs())
            names += (names.empty() ? "out_" : ", out_") + printable(output.name);
        throw Error(ErrorKind::kUsage,
                    quoted(path) + " holds no expected output; it should have " + names);
    }
    return expected;
}

Tensor read_labels(const std::filesystem::path& path) {
    const NamedTensors arrays =
        path.extension() == ".npy" ? NamedTensors{{"", read_npy(path)}} : read_npz(path);
    const Tensor* labels = nullptr;
    for (const auto& [name, tensor] : arrays) {
        if (is_float(tensor.dtype()) || tensor.ndim() != 1) continue;
        if (labels != nullptr)
            throw Error(
                ErrorKind::kUsage,
                quoted(path) + " holds several 1-D integer arrays; labels need exactly one");
        labels = &tensor;
    }
    if (labels == nullptr)
        throw Error(ErrorKind::kUsage,
                    quoted(path) + " holds no 1-D integer array with the labels");
    return labels->cast(DType::kInt64);
}

}  // namespace npuscope::diagnose
