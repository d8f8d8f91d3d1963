// Gradients of pooling, pooling over three axes, and adaptive pooling.
#include <array>

#include "npu_backend/ops/convolution/planes.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// A tensor without a batch as a batch of one.
Tensor batched(const Lowering& op, const Tensor& tensor, size_t spatial) {
    const size_t ndim = tensor.shape().size();
    if (ndim != spatial + 1 && ndim != spatial + 2)
        op.reject("a tensor of " + std::to_string(spatial + 1) + " or " +
                  std::to_string(spatial + 2) + " dimensions is needed, not " +
                  to_string(tensor.shape()));
    if (ndim == spatial + 2) return tensor;
    Shape shape = tensor.shape();
    shape.insert(shape.begin(), 1);
    return tensor.reshaped(std::move(shape));
}

/// Undoes batched().
Tensor like(const Tensor& tensor, const Tensor& given) {
    if (tensor.ndim() == given.ndim()) return tensor;
    return tensor.reshaped({tensor.shape().begin() + 1, tensor.shape().end()});
}

IntList behind_ones(const IntList& list) {
    IntList all = {1, 1};
    all.insert(all.end(), list.begin(), list.end());
    return all;
}

/// The attributes that regular windows need.
NamedValues windows(const Lowering& op, size_t spatial) {
    const IntList kernel = op.sizes("kernel_size", spatial);
    const IntList stride = op.ints("stride").empty() ? kernel : op.sizes("stride", spatial);
    IntList pads;
    for (const int64_t pad : op.sizes("padding", spatial, 0))
        pads.insert(pads.end(), {pad, pad});
    return {{"ksize", behind_ones(kernel)},
            {"strides", behind_ones(stride)},
            {"pads", pads},
            {"ceil_mode", op.flag("ceil_mode")}};
}

NamedValues average_windows(const Lowering& op, size_t spatial) {
    NamedValues attributes = windows(op, spatial);
    attributes.push_back({"count_include_pad", op.flag("count_include_pad")});
    if (op.has("divisor_override")) {
        if (op.integer("divisor_override") == 0) op.reject("divisor_override must not be 0");
        attributes.push_back({"divisor_override", op.integer("divisor_override")});
    }
    return attributes;
}

template <size_t kSpatial>
void lower_max_gradient(Lowering& op) {
    const Tensor self = op.tensor("self");
    Tensor x = batched(op, self, kSpatial);
    Tensor gradient = batched(op, op.tensor("grad_output"), kSpatial);
    if (kSpatial == 2) {
        x = op.format_cast(x, "NCHW", "NC1HWC0");
        gradient = op.format_cast(gradient, "NCHW", "NC1HWC0");
    }
    Tensor dx = op.launch(op.kernel(), {x, gradient, batched(op, op.raw("indices"), kSpatial)});
    if (kSpatial == 2) dx = op.format_cast(dx, "NC1HWC0", "NCHW");
    op.result(like(dx, self), op.declared("self"));
}

void lower_adaptive_max_gradient(Lowering& op) {
    const Tensor self = op.tensor("self");
    op.result(like(op.launch("MaxPoolGradWithArgmaxV1",
                             {batched(op, self, 2),
                              batched(op, op.tensor("grad_output"), 2),
                              batched(op, op.raw("indices"), 2)}),
                   self),
              op.declared("self"));
}

template <size_t kSpatial>
void lower_average_gradient(Lowering& op) {
    const Tensor self = op.raw("self");
    NamedValues attributes = average_windows(op, kSpatial);
    attributes.push_back({"orig_input_shape", IntList(batched(op, self, kSpatial).shape())});
    op.result(like(op.launch(op.kernel(),
                             {batched(op, op.tensor("grad_output"), kSpatial)},
                             std::move(attributes)),
                   self),
              op.declared("self"));
}

template <size_t kSpatial>
void lower_adaptive_gradient(Lowering& op) {
    const Tensor self = op.raw("self");
    op.result(like(op.launch(op.kernel(),
                             {batched(op, op.tensor("grad_output"), kSpatial)},
                             {{"orig_input_shape", IntList(batched(op, self, kSpatial).shape())}}),
                   self),
              op.declared("self"));
}

void lower_max_volume(Lowering& op) {
    const Tensor self = op.tensor("self");
    NamedValues attributes = windows(op, 3);
    attributes.push_back({"dilation", behind_ones(op.sizes("dilation", 3, 1))});
    const std::vector<Tensor> outputs =
        op.launch_all("MaxPool3D", {batched(op, self, 3)}, std::move(attributes));
    if (outputs.size() != 2) op.reject("kernel MaxPool3D must give y and places");
    op.result(like(outputs[0], self), op.declared("self"));
    op.result(like(outputs[1], self), DType::kInt64);
}

void lower_average_volume(Lowering& op) {
    const Tensor self = op.tensor("self");
    op.result(like(op.launch("AvgPool3D", {batched(op, self, 3)}, average_windows(op, 3)), self),
              op.declared("self"));
}

template <size_t kSpatial>
void lower_adaptive(Lowering& op) {
    const Tensor self = op.tensor("self");
    const NamedValues attributes = {{"output_size", op.sizes("output_size", kSpatial)}};
    op.result(like(op.launch(op.kernel(), {batched(op, self, kSpatial)}, attributes), self),
              op.declared("self"));
}

void lower_adaptive_max(Lowering& op) {
    const Tensor self = op.tensor("self");
    const std::vector<Tensor> outputs = op.launch_all(
        "AdaptiveMaxPool2d", {batched(op, self, 2)}, {{"output_size", op.sizes("output_size", 2)}});
    if (outputs.size() != 2) op.reject("kernel AdaptiveMaxPool2d must give y and places");
    op.result(like(outputs[0], self), op.declared("self"));
    op.result(like(outputs[1], self), DType::kInt64);
}

void give_line(Lowering& op, const Tensor& planar) {
    Shape shape = planar.shape();
    shape.erase(shape.end() - 2);
    op.result(planar.reshaped(std::move(shape)), op.declared("self"));
}

IntList flat(const IntList& list, int64_t first) {
    return list.empty() ? list : IntList{first, list[0]};
}

void lower_average_line(Lowering& op) {
    if (op.raw("self").ndim() < 2) op.reject("self must have 2 or 3 dimensions");
    give_line(op,
              op.computed("avg_pool2d",
                          {{"self", with_height(op.tensor("self"))},
                           {"kernel_size", flat(op.ints("kernel_size"), 1)},
                           {"stride", flat(op.ints("stride"), 1)},
                           {"padding", flat(op.ints("padding"), 0)},
                           {"ceil_mode", op.flag("ceil_mode")},
                           {"count_include_pad", op.flag("count_include_pad")}})
                  .at(0));
}

void lower_adaptive_line(Lowering& op) {
    if (op.raw("self").ndim() < 2) op.reject("self must have 2 or 3 dimensions");
    give_line(op,
              op.computed("_adaptive_avg_pool2d",
                          {{"self", with_height(op.tensor("self"))},
                           {"output_size", flat(op.ints("output_size"), 1)}})
                  .at(0));
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a row an op
std::span<const OpRow> pooling_gradients_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] "
                   "kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, "
                   "Tensor indices) -> Tensor",
         .launches = {"MaxPoolGradWithArgmaxV1", "TransData"},
         .note = "TransData(x), TransData(grad), MaxPoolGradWithArgmaxV1, TransData(y)",
         .source = "spec",
         .lower = lower_max_gradient<2>},
        {.schema = "max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] "
                   "kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, "
                   "Tensor indices) -> Tensor",
         .launches = {"MaxPool3DGrad"},
         .source = "table",
         .lower = lower_max_gradient<3>},
        {.schema = "max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], "
                   "int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
         .launches = {"MaxPool3D"},
         .note = "MaxPool3D; places as ATen counts them",
         .source = "table",
         .lower = lower_max_volume},
        {.schema = "avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] "
                   "padding=0, bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
         .launches = {"AvgPoolV2"},
         .note = "AvgPoolV2 of height 1",
         .lower = lower_average_line,
         .sum = "result"},
        {.schema = "avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, "
                   "int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? "
                   "divisor_override) -> Tensor",
         .launches = {"AvgPoolV2Grad"},
         .source = "table",
         .lower = lower_average_gradient<2>,
         .sum = "result"},
        {.schema =
             "avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool "
             "ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
         .launches = {"AvgPool3D"},
         .source = "table",
         .lower = lower_average_volume,
         .sum = "result"},
        {.schema = "avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, "
                   "int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? "
                   "divisor_override) -> Tensor",
         .launches = {"AvgPool3DGrad"},
         .source = "table",
         .lower = lower_average_gradient<3>,
         .sum = "result"},
        {.schema = "adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor",
         .launches = {"AdaptiveAvgPool2d"},
         .note = "AdaptiveAvgPool2d of height 1",
         .lower = lower_adaptive_line,
         .sum = "result"},
        {.schema = "_adaptive_avg_pool2d(Tensor self, int[2] output_size) -> Tensor",
         .launches = {"AdaptiveAvgPool2d"},
         .source = "table",
         .lower = lower_adaptive<2>,
         .sum = "result"},
        {.schema = "_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor",
         .launches = {"AdaptiveAvgPool2dGrad"},
         .source = "table",
         .lower = lower_adaptive_gradient<2>,
         .sum = "result"},
        {.schema = "_adaptive_avg_pool3d(Tensor self, int[3] output_size) -> Tensor",
         .launches = {"AdaptiveAvgPool3d"},
         .lower = lower_adaptive<3>,
         .sum = "result"},
        {.schema = "_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor",
         .launches = {"AdaptiveAvgPool3dGrad"},
         .lower = lower_adaptive_gradient<3>,
         .sum = "result"},
        {.schema = "adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)",
         .launches = {"AdaptiveMaxPool2d"},
         .note = "AdaptiveMaxPool2d; places as ATen counts them",
         .lower = lower_adaptive_max},
        {.schema = "adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) "
                   "-> Tensor",
         .launches = {"MaxPoolGradWithArgmaxV1"},
         .source = "table",
         .lower = lower_adaptive_max_gradient},
    });
    return kRows;
}

}  // namespace npuscope::backend
