// MaxPool and AveragePool over one or two dimensions, GlobalAveragePool over any number.
#include <limits>
#include <utility>

#include "npu_backend/onnx/node_run.h"
#include "npu_backend/onnx/windows.h"

namespace npuscope::onnx_model {

namespace {

/// A window of one dimension is one of two whose first is 1, as in PyTorch's max_pool1d.
struct Pooling {
    Tensor input;
    Windows windows;
    bool widened = false;
};

Pooling read_pooling(NodeRun& node) {
    Pooling pooling;
    pooling.input = node.input(0);
    const Shape& shape = pooling.input.shape();
    if (shape.size() != 3 && shape.size() != 4)
        node.unsupported("pooling of a tensor of shape " + to_string(shape) +
                         " is not supported; it needs 3 or 4 dimensions");
    pooling.windows = read_windows(node, {}, IntList(shape.begin() + 2, shape.end()));
    if (shape.size() == 4) return pooling;
    pooling.widened = true;
    pooling.input = node.call("unsqueeze", {{"self", pooling.input}, {"dim", int64_t{2}}});
    Windows& windows = pooling.windows;
    for (IntList* numbers : {&windows.kernel, &windows.stride, &windows.dilation})
        numbers->insert(numbers->begin(), 1);
    for (IntList* numbers : {&windows.pads_begin, &windows.pads_end})
        numbers->insert(numbers->begin(), 0);
    return pooling;
}

void set_pooled(NodeRun& node, const Pooling& pooling, Tensor result) {
    if (pooling.widened)
        result = node.call("squeeze_dims", {{"self", std::move(result)}, {"dim", IntList{2}}});
    node.set_output(0, std::move(result));
}

}  // namespace

void lower_max_pool(NodeRun& node) {
    Pooling pooling = read_pooling(node);
    Windows& windows = pooling.windows;
    const bool ceil_mode = node.attribute("ceil_mode", int64_t{0}) != 0;
    pooling.input = pad_unless_symmetric(
        node, pooling.input, windows, -std::numeric_limits<double>::infinity());
    set_pooled(node,
               pooling,
               node.call("max_pool2d_with_indices",
                         {{"self", pooling.input},
                          {"kernel_size", windows.kernel},
                          {"stride", windows.stride},
                          {"padding", windows.padding()},
                          {"dilation", windows.dilation},
                          {"ceil_mode", ceil_mode}}));
}

void lower_average_pool(NodeRun& node) {
    Pooling pooling = read_pooling(node);
    Windows& windows = pooling.windows;
    if (windows.dilation != IntList{1, 1})
        node.unsupported("average pooling with dilations is not supported");
    const bool ceil_mode = node.attribute("ceil_mode", int64_t{0}) != 0;
    const bool count_include_pad = node.attribute("count_include_pad", int64_t{0}) != 0;
    if (!windows.symmetric() && (!count_include_pad || ceil_mode))
        node.unsupported(
            "average pooling with unequal pads at begin and end is only supported "
            "with count_include_pad and without ceil_mode");
    pooling.input = pad_unless_symmetric(node, pooling.input, windows, 0.0);
    set_pooled(node,
               pooling,
               node.call("avg_pool2d",
                         {{"self", pooling.input},
                          {"kernel_size", windows.kernel},
                          {"stride", windows.stride},
                          {"padding", windows.padding()},
                          {"ceil_mode", ceil_mode},
                          {"count_include_pad", count_include_pad}}));
}

void lower_global_average_pool(NodeRun& node) {
    const Tensor& input = node.input(0);
    node.require(input.ndim() >= 3, "the input has no spatial dimensions");
    IntList dims;
    for (int64_t axis = 2; axis < input.ndim(); ++axis)
        dims.push_back(axis);
    node.set_output(0, node.call("mean_dim", {{"self", input}, {"dim", dims}, {"keepdim", true}}));
}

}  // namespace npuscope::onnx_model
