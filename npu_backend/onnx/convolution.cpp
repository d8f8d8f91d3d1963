// Conv.
#include <span>
#include <utility>

#include "npu_backend/onnx/node_run.h"
#include "npu_backend/onnx/windows.h"

namespace npuscope::onnx_model {

void lower_conv(NodeRun& node) {
    Tensor input = node.input(0);
    const Tensor& weight = node.input(1);
    node.require(input.ndim() >= 3 && weight.ndim() == input.ndim(),
                 "input " + to_string(input.shape()) + " and weight " + to_string(weight.shape()) +
                     " must have the same 3 or more dimensions");
    const auto spatial = [](const Tensor& tensor) {
        return IntList(tensor.shape().begin() + 2, tensor.shape().end());
    };
    const IntList kernel = spatial(weight);
    Windows windows = read_windows(node, kernel, spatial(input));
    node.require(windows.kernel == kernel, "kernel_shape differs from the weight's shape");
    const int64_t groups = node.attribute("group", int64_t{1});
    node.require(groups >= 1 && weight.dim(0) % groups == 0 && input.dim(1) % groups == 0 &&
                     input.dim(1) / groups == weight.dim(1),
                 "weight " + to_string(weight.shape()) + " does not fit input " +
                     to_string(input.shape()) + " in " + std::to_string(groups) + " groups");
    Value bias;
    if (node.has_input(2)) {
        node.require(node.input(2).shape() == Shape{weight.dim(0)}, "the bias has a wrong shape");
        bias = node.input(2);
    }
    input = pad_unless_symmetric(node, std::move(input), windows, 0.0);
    node.set_output(0,
                    node.call("convolution",
                              {{"input", std::move(input)},
                               {"weight", weight},
                               {"bias", std::move(bias)},
                               {"stride", windows.stride},
                               {"padding", windows.padding()},
                               {"dilation", windows.dilation},
                               {"transposed", false},
                               {"output_padding", IntList(kernel.size(), 0)},
                               {"groups", groups}}));
}

}  // namespace npuscope::onnx_model
