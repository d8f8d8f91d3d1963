#include "diagnose/run/seeded_inputs.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <string_view>

#include "core/base/error.h"
#include "core/base/printable.h"
#include "diagnose/run/model_inputs.h"

namespace npuscope::diagnose {

namespace {

using onnx_model::TensorInfo;

/// Elements of one input that is made up by what the model declares.
constexpr int64_t kMostSeeded = int64_t{1} << 26;

[[noreturn]] void refuse(const std::string& text) {
    throw Error(ErrorKind::kUsage,
                in_quotes(text) +
                    " is no input shape; wanted is a name and its sizes, as in x:1,3,224,224");
}

Shape parse_sizes(std::string_view sizes, const std::string& whole) {
    if (sizes.starts_with('[') && sizes.ends_with(']')) sizes = sizes.substr(1, sizes.size() - 2);
    Shape shape;
    while (!sizes.empty()) {
        int64_t size = 0;
        const auto [end, failure] =
            std::from_chars(sizes.data(), sizes.data() + sizes.size(), size);
        if (failure != std::errc() || size < 0) refuse(whole);
        shape.push_back(size);
        sizes.remove_prefix(static_cast<size_t>(end - sizes.data()));
        if (sizes.empty()) break;
        if ((sizes.front() != ',' && sizes.front() != 'x') || sizes.size() == 1) refuse(whole);
        sizes.remove_prefix(1);
    }
    return shape;
}

bool fits(const Shape& shape, const TensorInfo& input) {
    if (!input.shape_known) return true;
    if (shape.size() != input.shape.size()) return false;
    for (size_t axis = 0; axis < shape.size(); ++axis)
        if (input.shape[axis] >= 0 && input.shape[axis] != shape[axis]) return false;
    return true;
}

void check_shapes(const onnx_model::Model& model, const InputShapes& shapes) {
    for (const auto& [name, shape] : shapes) {
        const auto input = std::ranges::find(model.inputs(), name, &TensorInfo::name);
        if (input == model.inputs().end() || !fits(shape, *input))
            throw Error(
                ErrorKind::kUsage,
                "the shape " + to_string(shape) + " of " + in_quotes(name) +
                    " fits no input of the model; its inputs are: " + describe_inputs(model));
    }
}

Shape shape_of(const TensorInfo& input, const InputShapes& shapes) {
    const auto given = shapes.find(input.name);
    if (given != shapes.end()) return given->second;
    Shape shape = input.shape;
    std::ranges::replace_if(
        shape, [](int64_t size) { return size < 0; }, 1);
    return shape;
}

}  // namespace

InputShapes parse_input_shapes(std::span<const std::string> texts) {
    InputShapes shapes;
    for (const std::string& text : texts) {
        const size_t colon = text.rfind(':');
        if (colon == std::string::npos || colon == 0) refuse(text);
        Shape shape = parse_sizes(std::string_view(text).substr(colon + 1), text);
        if (!shapes.emplace(text.substr(0, colon), std::move(shape)).second)
            throw Error(ErrorKind::kUsage,
                        "the shape of " + in_quotes(text.substr(0, colon)) + " is given twice");
    }
    return shapes;
}

NamedTensors seeded_model_inputs(const onnx_model::Model& model,
                                 uint64_t seed,
                                 const InputShapes& shapes) {
    check_shapes(model, shapes);
    std::mt19937_64 generator(seed);
    NamedTensors inputs;
    for (const TensorInfo& input : model.inputs()) {
        if (input.optional) continue;
        const std::string name =
            input.kind == onnx_model::ValueKind::kSequence ? input.name + "/0" : input.name;
        Shape shape = shape_of(input, shapes);
        const int64_t numel = numel_of(shape);
        if (!shapes.contains(input.name) && numel > kMostSeeded)
            throw Error(ErrorKind::kUnsupported,
                        "input " + in_quotes(input.name) + " of model " + in_quotes(model.path()) +
                            " is declared as " + to_string(shape) + ", " + std::to_string(numel) +
                            " elements, and at most " + std::to_string(kMostSeeded) +
                            " are made up; give the input, or its shape");
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

std::string open_sizes(const onnx_model::Model& model, const InputShapes& shapes) {
    std::string text;
    for (const TensorInfo& input : model.inputs()) {
        if (input.optional || shapes.contains(input.name)) continue;
        const bool open =
            !input.shape_known || std::any_of(input.shape.begin() + (input.shape.empty() ? 0 : 1),
                                              input.shape.end(),
                                              [](int64_t size) { return size < 0; });
        if (open) text += (text.empty() ? "" : ", ") + describe_input(input);
    }
    return text;
}

}  // namespace npuscope::diagnose
