#include "diagnose/run/model_inputs.h"

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/printable.h"

namespace npuscope::diagnose {

namespace {}  // namespace

std::string describe_input(const onnx_model::TensorInfo& input) {
    std::string text = printable(input.name) + " ";
    if (input.optional) text += "optional ";
    if (input.kind == onnx_model::ValueKind::kSequence) text += "sequence of ";
    text += std::string(name_of(input.dtype));
    if (!input.shape_known) return text;
    text += "[";
    for (size_t axis = 0; axis < input.shape.size(); ++axis) {
        if (axis > 0) text += ',';
        const bool symbolic = input.shape[axis] < 0;
        const bool named = symbolic && axis < input.symbols.size() && !input.symbols[axis].empty();
        text += !symbolic ? std::to_string(input.shape[axis])
                : named   ? printable(input.symbols[axis])
                          : "?";
    }
    return text + "]";
}

std::string describe_inputs(const onnx_model::Model& model) {
    std::string text;
    for (const onnx_model::TensorInfo& input : model.inputs())
        text += (text.empty() ? "" : ", ") + describe_input(input);
    return text;
}

std::string describe_tensors(const NamedTensors& tensors) {
    constexpr size_t kMostShown = 8;
    std::string text;
    for (size_t i = 0; i < tensors.size() && i < kMostShown; ++i) {
        const auto& [name, tensor] = tensors[i];
        text += (text.empty() ? "" : ", ") + printable(name) + " " +
                std::string(name_of(tensor.dtype())) + to_string(tensor.shape());
    }
    if (tensors.size() > kMostShown)
        text += " and " + std::to_string(tensors.size() - kMostShown) + " more";
    return text;
}

std::vector<std::string> nan_inputs(const NamedTensors& inputs) {
    std::vector<std::string> sentences;
    for (const auto& [name, tensor] : inputs) {
        if (!is_float(tensor.dtype())) continue;
        int64_t count = 0;
        int64_t first = 0;
        for (int64_t i = tensor.numel() - 1; i >= 0; --i)
            if (std::isnan(tensor.at(i))) {
                ++count;
                first = i;
            }
        if (count > 0)
            sentences.push_back("the input " + printable(name) + " holds NaN: " +
                                std::to_string(count) + " of " + std::to_string(tensor.numel()) +
                                " elements, first at [" + std::to_string(first) + "]");
    }
    return sentences;
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
                        "the array " + in_quotes(name) + " in " + in_quotes(path) +
                            " is no input of the model; its inputs are: " + describe_inputs(model));
        inputs.emplace_back(input, std::move(tensor));
    }
    return inputs;
}

NamedTensors model_inputs(const onnx_model::Model& model,
                          const std::filesystem::path& path,
                          uint64_t seed,
                          const InputShapes& shapes) {
    if (path.empty()) return seeded_model_inputs(model, seed, shapes);
    if (!shapes.empty())
        throw Error(ErrorKind::kUsage,
                    "input shapes are for random inputs; the arrays in " + in_quotes(path) +
                        " have their own");
    return read_model_inputs(model, path);
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
                    in_quotes(path) + " holds no expected output; it should have " + names);
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
                in_quotes(path) + " holds several 1-D integer arrays; labels need exactly one");
        labels = &tensor;
    }
    if (labels == nullptr)
        throw Error(ErrorKind::kUsage,
                    in_quotes(path) + " holds no 1-D integer array with the labels");
    return labels->cast(DType::kInt64);
}

}  // namespace npuscope::diagnose
