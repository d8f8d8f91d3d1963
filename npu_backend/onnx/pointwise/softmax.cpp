// Softmax and LogSoftmax.
#include <span>
#include <utility>

#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

namespace {

/// From operator set 13 on along one axis; before, over all dimensions from the axis on.
void lower_along_axis(NodeRun& node, std::string_view ir_name) {
    const Tensor& input = node.input(0);
    const bool one_axis = node.opset() >= 13;
    const int64_t axis =
        node.axis_from_front(node.attribute("axis", int64_t{one_axis ? -1 : 1}), input.ndim());
    const auto apply = [&](const Tensor& tensor, int64_t dim) {
        return node.call(ir_name, {{"self", tensor}, {"dim", dim}, {"half_to_float", false}});
    };
    if (one_axis || axis == input.ndim() - 1) {
        node.set_output(0, apply(input, axis));
        return;
    }
    const std::span<const int64_t> shape = input.shape();
    const auto split = static_cast<size_t>(axis);
    const Tensor flat = node.call(
        "view",
        {{"self", input},
         {"size", IntList{numel_of(shape.first(split)), numel_of(shape.subspan(split))}}});
    node.set_output(
        0, node.call("view", {{"self", apply(flat, 1)}, {"size", IntList(input.shape())}}));
}

}  // namespace

void lower_softmax(NodeRun& node) {
    lower_along_axis(node, "_softmax");
}

void lower_log_softmax(NodeRun& node) {
    lower_along_axis(node, "_log_softmax");
}

}  // namespace npuscope::onnx_model
