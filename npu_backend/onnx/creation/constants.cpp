// Constant, ConstantOfShape, Identity and Shape: values that need no kernel.
#include <algorithm>
#include <utility>

#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

void lower_constant(NodeRun& node) {
    if (node.has_attribute("value")) {
        node.set_output(0, node.tensor_attribute("value"));
    } else if (node.has_attribute("value_float")) {
        node.set_output(0, Tensor::scalar(static_cast<float>(node.attribute("value_float", 0.0))));
    } else if (node.has_attribute("value_int")) {
        node.set_output(0, Tensor::scalar(node.attribute("value_int", int64_t{0})));
    } else if (node.has_attribute("value_floats")) {
        const std::vector<double> wide = node.floats_attribute("value_floats");
        const std::vector<float> numbers(wide.begin(), wide.end());
        node.set_output(0, Tensor::from<float>({static_cast<int64_t>(numbers.size())}, numbers));
    } else if (node.has_attribute("value_ints")) {
        const IntList numbers = node.attribute("value_ints", IntList{});
        node.set_output(0, Tensor::from<int64_t>({static_cast<int64_t>(numbers.size())}, numbers));
    } else {
        node.unsupported("it has no value");
    }
}

void lower_constant_of_shape(NodeRun& node) {
    const Shape shape = node.ints(0);
    require_host_size(shape);
    const Tensor value =
        node.has_attribute("value") ? node.tensor_attribute("value") : Tensor::scalar(0.0f);
    node.require(value.numel() == 1, "its value must be one element");
    Tensor filled(value.dtype(), shape);
    visit_dtype(value.dtype(),
                [&]<class T>() { std::ranges::fill(filled.mutable_as<T>(), value.as<T>()[0]); });
    node.set_output(0, std::move(filled));
}

void lower_identity(NodeRun& node) {
    node.set_value(0, node.value(0));
}

void lower_shape(NodeRun& node) {
    const Shape& shape = node.input(0).shape();
    const auto ndim = static_cast<int64_t>(shape.size());
    const auto from_front = [&](int64_t axis) {
        return std::clamp<int64_t>(axis < 0 ? axis + ndim : axis, 0, ndim);
    };
    const int64_t start = from_front(node.attribute("start", int64_t{0}));
    const int64_t end = std::max(start, from_front(node.attribute("end", ndim)));
    const IntList part(shape.begin() + start, shape.begin() + end);
    node.set_known_output(0, Tensor::from<int64_t>({end - start}, part));
}

}  // namespace npuscope::onnx_model
