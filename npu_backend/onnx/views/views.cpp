// Expand, Flatten, Reshape, Squeeze, Transpose and Unsqueeze: other descriptions of the elements.
#include <algorithm>
#include <span>
#include <utility>

#include "core/base/error.h"
#include "npu_backend/onnx/host_ops.h"
#include "npu_backend/onnx/node_run.h"

namespace npuscope::onnx_model {

namespace {

/// Axes are an attribute before operator set 13, an input after.
IntList given_axes(const NodeRun& node) {
    return node.has_input(1) ? node.ints(1) : node.attribute("axes", IntList{});
}

}  // namespace

void lower_expand(NodeRun& node) {
    const Tensor& input = node.input(0);
    Shape shape = broadcast(input.shape(), node.ints(1));
    static_cast<void>(numel_of(shape));
    node.set_output(0, node.call("expand", {{"self", input}, {"size", std::move(shape)}}));
}

void lower_flatten(NodeRun& node) {
    const Tensor& input = node.input(0);
    const int64_t ndim = input.ndim();
    int64_t axis = node.attribute("axis", int64_t{1});
    node.require(axis >= -ndim && axis <= ndim, "its axis is outside the tensor");
    if (axis < 0) axis += ndim;
    const std::span<const int64_t> shape = input.shape();
    const auto split = static_cast<size_t>(axis);
    node.set_output(
        0,
        node.call(
            "view",
            {{"self", input},
             {"size", IntList{numel_of(shape.first(split)), numel_of(shape.subspan(split))}}}));
}

void lower_reshape(NodeRun& node) {
    const Tensor& input = node.input(0);
    Shape shape = node.ints(1);
    const bool zero_copies = node.attribute("allowzero", int64_t{0}) == 0;
    for (size_t axis = 0; zero_copies && axis < shape.size(); ++axis) {
        if (shape[axis] != 0) continue;
        node.require(axis < input.shape().size(), "dimension 0 copies one that the input lacks");
        shape[axis] = input.shape()[axis];
    }
    try {
        // Finds -1 and checks the rest.
        shape = input.reshaped(std::move(shape)).shape();
    } catch (const Error& error) {
        throw Error(ErrorKind::kFormat, error.what());
    }
    node.set_output(0, node.call("view", {{"self", input}, {"size", std::move(shape)}}));
}

void lower_squeeze(NodeRun& node) {
    const Tensor& input = node.input(0);
    IntList axes = node.axes_from_front(given_axes(node), input.ndim());
    const bool all = axes.empty();
    for (int64_t axis = 0; all && axis < input.ndim(); ++axis)
        if (input.dim(axis) == 1) axes.push_back(axis);
    for (const int64_t axis : axes)
        node.require(
            input.dim(axis) == 1,
            "axis " + std::to_string(axis) + " of shape " + to_string(input.shape()) + " is not 1");
    node.set_output(0, node.call("squeeze_dims", {{"self", input}, {"dim", std::move(axes)}}));
}

void lower_transpose(NodeRun& node) {
    const Tensor& input = node.input(0);
    IntList dims;
    for (int64_t axis = input.ndim(); axis-- > 0;)
        dims.push_back(axis);
    dims = node.attribute("perm", dims);
    node.require(static_cast<int64_t>(dims.size()) == input.ndim() &&
                     std::ranges::all_of(dims, [](int64_t dim) { return dim >= 0; }) &&
                     node.axes_from_front(dims, input.ndim()).size() == dims.size(),
                 "perm " + to_string(dims) + " is no order of the axes");
    node.set_output(0, node.call("permute", {{"self", input}, {"dims", std::move(dims)}}));
}

void lower_unsqueeze(NodeRun& node) {
    Tensor tensor = node.input(0);
    const IntList given = given_axes(node);
    const IntList axes =
        node.axes_from_front(given, tensor.ndim() + static_cast<int64_t>(given.size()));
    for (const int64_t axis : axes)
        tensor = node.call("unsqueeze", {{"self", std::move(tensor)}, {"dim", axis}});
    node.set_output(0, std::move(tensor));
}

}  // namespace npuscope::onnx_model
