// Conv and ConvTranspose over one to three spatial dimensions.
#include <algorithm>
#include <span>
#include <utility>

#include "npu_backend/onnx/ir_calls.h"
#include "npu_backend/onnx/pooling/windows.h"
#include "npu_backend/onnx/recurrent/products.h"

namespace npuscope::onnx_model {

namespace {

IntList spatial(const Tensor& tensor) {
    return {tensor.shape().begin() + 2, tensor.shape().end()};
}

IntList without_first(const IntList& numbers) {
    return {numbers.begin() + 1, numbers.end()};
}

/// What the op takes beside its tensors.
struct Form {
    IntList stride, padding, dilation, output_padding;
    bool transposed = false;
    int64_t groups = 1;

    [[nodiscard]] Form inner() const {
        return {without_first(stride),
                without_first(padding),
                without_first(dilation),
                without_first(output_padding),
                transposed,
                groups};
    }
};

Tensor call_convolution(
    NodeRun& node, const Tensor& input, const Tensor& weight, Value bias, const Form& form) {
    return node.call("convolution",
                     {{"input", input},
                      {"weight", weight},
                      {"bias", std::move(bias)},
                      {"stride", form.stride},
                      {"padding", form.padding},
                      {"dilation", form.dilation},
                      {"transposed", form.transposed},
                      {"output_padding", form.output_padding},
                      {"groups", form.groups}});
}

/// [N, C, D, H, W] as [N * D, C, H, W].
Tensor depth_in_batch(NodeRun& node, const Tensor& x) {
    const Shape& s = x.shape();
    return ir::view(node, ir::permute(node, x, {0, 2, 1, 3, 4}), {s[0] * s[2], s[1], s[3], s[4]});
}

Tensor depth_restored(NodeRun& node, const Tensor& y, int64_t batch) {
    const Shape& s = y.shape();
    return ir::permute(
        node, ir::view(node, y, {batch, s[0] / batch, s[1], s[2], s[3]}), {0, 2, 1, 3, 4});
}

/// Pads the depth, which is the third axis from the end.
Tensor depth_padded(NodeRun& node, const Tensor& x, int64_t before, int64_t after) {
    if (before == 0 && after == 0) return x;
    return node.call(
        "constant_pad_nd",
        {{"self", x}, {"pad", IntList{0, 0, 0, 0, before, after}}, {"value", Scalar{0.0}}});
}

/// Three dimensions: the sum over the kernel's depth of convolutions of two dimensions.
Tensor deep_convolution(
    NodeRun& node, Tensor input, const Tensor& weight, Value bias, const Form& form) {
    const int64_t batch = input.dim(0);
    const int64_t kernel = weight.dim(2);
    if (!form.transposed) input = depth_padded(node, input, form.padding[0], form.padding[0]);
    const int64_t depth = input.dim(2);
    const int64_t reach = (kernel - 1) * form.dilation[0];
    const int64_t count = form.transposed
                              ? (depth - 1) * form.stride[0] + reach + 1 + form.output_padding[0]
                              : (depth - 1 - reach) / form.stride[0] + 1;
    Tensor sum;
    for (int64_t k = 0; k < kernel; ++k) {
        const int64_t from = k * form.dilation[0];
        const Tensor part = form.transposed ? input
                                            : ir::slice(node,
                                                        input,
                                                        2,
                                                        from,
                                                        from + (count - 1) * form.stride[0] + 1,
                                                        form.stride[0]);
        Tensor y = depth_restored(node,
                                  call_convolution(node,
                                                   depth_in_batch(node, part),
                                                   ir::select(node, weight, 2, k),
                                                   k == 0 ? std::exchange(bias, {}) : Value{},
                                                   form.inner()),
                                  batch);
        if (form.transposed && form.stride[0] > 1) {
            // Zeros between the depths.
            const Shape s = y.shape();
            y = ir::view(node,
                         depth_padded(node,
                                      ir::view(node, y, {s[0], s[1], s[2], 1, s[3], s[4]}),
                                      0,
                                      form.stride[0] - 1),
                         {s[0], s[1], s[2] * form.stride[0], s[3], s[4]});
            y = ir::slice(node, y, 2, 0, (depth - 1) * form.stride[0] + 1);
        }
        if (form.transposed) y = depth_padded(node, y, from, count - y.dim(2) - from);
        sum = k == 0 ? y : ir::add(node, sum, y);
    }
    return sum;
}

Tensor any_convolution(
    NodeRun& node, const Tensor& input, const Tensor& weight, Value bias, const Form& form) {
    if (input.ndim() == 5) return deep_convolution(node, input, weight, std::move(bias), form);
    return call_convolution(node, input, weight, std::move(bias), form);
}

void require_ranks(const NodeRun& node, const Tensor& input, const Tensor& weight) {
    node.require(input.ndim() >= 3 && weight.ndim() == input.ndim(),
                 "input " + to_string(input.shape()) + " and weight " + to_string(weight.shape()) +
                     " must have the same 3 or more dimensions");
    if (input.ndim() > 5) node.unsupported("more than three spatial dimensions");
}

/// Where a transposed convolution is cut: what pads, output_shape or auto_pad take away.
struct Cut {
    IntList begin;
    IntList size;
};

Cut read_cut(const NodeRun& node, const Tensor& input, const IntList& kernel, const Form& form) {
    const size_t count = kernel.size();
    const IntList pads = node.attribute("pads", IntList(2 * count, 0));
    const IntList wanted = node.attribute("output_shape", IntList{});
    const std::string auto_pad = node.attribute("auto_pad", "NOTSET");
    const auto meant = [](int64_t number) { return number >= 0 && number < (1 << 30); };
    node.require(pads.size() == 2 * count && std::ranges::all_of(pads, meant) &&
                     std::ranges::all_of(form.output_padding, meant),
                 "pads must have two numbers for each dimension, output_padding one");
    node.require(wanted.empty() || (wanted.size() >= count && std::ranges::all_of(wanted, meant)),
                 "output_shape does not fit");
    Cut cut;
    for (size_t i = 0; i < count; ++i) {
        const int64_t in = input.dim(static_cast<int64_t>(i) + 2);
        const int64_t whole = (in - 1) * form.stride[i] + (kernel[i] - 1) * form.dilation[i] + 1 +
                              form.output_padding[i];
        int64_t begin = pads[i];
        int64_t size = whole - pads[i] - pads[i + count];
        const bool same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
        if (!wanted.empty() || same) {
            size = wanted.empty() ? in * form.stride[i] : wanted[wanted.size() - count + i];
            const int64_t total = std::max<int64_t>(0, whole - size);
            begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
        }
        node.require(size > 0 && begin >= 0, "pads or output_shape leave no output");
        cut.begin.push_back(begin);
        cut.size.push_back(size);
    }
    return cut;
}

}  // namespace

Tensor convolved(NodeRun& node, Tensor input, const Tensor& weight, Value bias) {
    require_ranks(node, input, weight);
    const IntList kernel = spatial(weight);
    Windows windows = read_windows(node, kernel, spatial(input));
    node.require(windows.kernel == kernel, "kernel_shape differs from the weight's shape");
    const int64_t groups = node.attribute("group", int64_t{1});
    node.require(groups >= 1 && weight.dim(0) % groups == 0 && input.dim(1) % groups == 0 &&
                     input.dim(1) / groups == weight.dim(1),
                 "weight " + to_string(weight.shape()) + " does not fit input " +
                     to_string(input.shape()) + " in " + std::to_string(groups) + " groups");
    if (const auto* tensor = std::get_if<Tensor>(&bias))
        node.require(tensor->shape() == Shape{weight.dim(0)}, "the bias has a wrong shape");
    input = pad_unless_symmetric(node, input, windows, 0.0);
    return any_convolution(node,
                           input,
                           weight,
                           std::move(bias),
                           {windows.stride,
                            windows.padding(),
                            windows.dilation,
                            IntList(kernel.size(), 0),
                            false,
                            groups});
}

void lower_conv(NodeRun& node) {
    Value bias;
    if (node.has_input(2)) bias = node.input(2);
    node.set_output(0, convolved(node, node.input(0), node.input(1), std::move(bias)));
}

/// Computed whole, then cut: ONNX's pads may be unequal, ATen's may not.
void lower_conv_transpose(NodeRun& node) {
    const Tensor& input = node.input(0);
    const Tensor& weight = node.input(1);
    require_ranks(node, input, weight);
    const IntList kernel = spatial(weight);
    const IntList ones(kernel.size(), 1);
    const IntList zeros(kernel.size(), 0);
    Form form{node.attribute("strides", ones),
              zeros,
              node.attribute("dilations", ones),
              node.attribute("output_padding", zeros),
              true,
              node.attribute("group", int64_t{1})};
    const auto positive = [](int64_t number) { return number >= 1 && number < (1 << 30); };
    node.require(form.stride.size() == kernel.size() && form.dilation.size() == kernel.size() &&
                     form.output_padding.size() == kernel.size() &&
                     std::ranges::all_of(form.stride, positive) &&
                     std::ranges::all_of(form.dilation, positive) && form.groups >= 1 &&
                     input.dim(1) == weight.dim(0) && input.dim(1) % form.groups == 0,
                 "its attributes do not fit input and weight");
    const Cut cut = read_cut(node, input, kernel, form);
    for (size_t i = 0; i < kernel.size(); ++i) {
        const int64_t whole = (input.dim(static_cast<int64_t>(i) + 2) - 1) * form.stride[i] +
                              (kernel[i] - 1) * form.dilation[i] + 1 + form.output_padding[i];
        form.output_padding[i] += std::max<int64_t>(0, cut.begin[i] + cut.size[i] - whole);
    }
    // What output_padding adds at the end is zeros and bias: the op takes it as it is.
    Tensor y = any_convolution(
        node, input, weight, node.has_input(2) ? Value{node.input(2)} : Value{}, form);
    for (size_t i = 0; i < kernel.size(); ++i) {
        const auto axis = static_cast<int64_t>(i) + 2;
        y = ir::slice(node, y, axis, cut.begin[i], cut.begin[i] + cut.size[i]);
    }
    node.set_output(0, std::move(y));
}

}  // namespace npuscope::onnx_model
