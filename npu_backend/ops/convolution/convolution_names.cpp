// Ops of other backends and versions of PyTorch that are a convolution under other arguments.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// No transposition.
NamedValues untransposed() {
    return {{"transposed", false}, {"output_padding", IntList{}}};
}

/// One group, no dilation.
NamedValues slow_convolution() {
    return {{"dilation", IntList{1, 1}},
            {"transposed", false},
            {"output_padding", IntList{0, 0}},
            {"groups", int64_t{1}}};
}

void lower_conv(Lowering& op) {
    op.forward({}, untransposed());
}

void lower_mkldnn_convolution(Lowering& op) {
    op.forward("input=self", untransposed());
}

void lower_cudnn_convolution(Lowering& op) {
    NamedValues values = untransposed();
    values.push_back({"bias", Value()});
    op.forward("input=self", std::move(values));
}

void lower_slow_convolution(Lowering& op) {
    op.forward("input=self", slow_convolution());
}

void lower_depthwise_convolution(Lowering& op) {
    NamedValues values = untransposed();
    values.push_back({"groups", op.raw("self").dim(1)});
    op.forward("input=self", std::move(values));
}

}  // namespace

std::span<const OpRow> convolution_names_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "cudnn_convolution(Tensor self, Tensor weight, int[] padding, int[] stride, "
                   "int[] dilation, int groups, bool benchmark=False, bool deterministic=False, "
                   "bool allow_tf32=False) -> Tensor",
         .launches = {"Conv2D", "Conv3D"},
         .as = "convolution",
         .note = "as convolution: Conv2D or Conv3D",
         .lower = lower_cudnn_convolution},
        {.schema = "mkldnn_convolution(Tensor self, Tensor weight, Tensor? bias, int[] padding, "
                   "int[] stride, int[] dilation, int groups) -> Tensor",
         .launches = {"Conv2D", "Conv3D"},
         .as = "convolution",
         .note = "as convolution: Conv2D or Conv3D",
         .lower = lower_mkldnn_convolution},
        {.schema = "conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] "
                   "padding=0, int[2] dilation=1, int groups=1) -> Tensor",
         .launches = {"Conv2D"},
         .as = "convolution",
         .note = "as convolution: Conv2D",
         .source = "table",
         .lower = lower_conv},
        {.schema = "_convolution(Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] "
                   "padding, int[] dilation, bool transposed, int[] output_padding, int groups, "
                   "bool benchmark=False, bool deterministic=False, bool cudnn_enabled=False, bool "
                   "allow_tf32=False) -> Tensor",
         .launches = {"Conv2D", "Conv3D"},
         .as = "convolution",
         .note = "as convolution: Conv2D, Conv3D or their transposed forms",
         .source = "table",
         .lower = forward_all},
        {.schema = "convolution_overrideable(Tensor input, Tensor weight, Tensor? bias, int[] "
                   "stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, "
                   "int groups) -> Tensor",
         .launches = {"Conv2D", "Conv3D"},
         .as = "convolution",
         .note = "as convolution: Conv2D, Conv3D or their transposed forms",
         .lower = forward_all},
        {.schema = "_slow_conv2d_forward(Tensor self, Tensor weight, int[2] kernel_size, Tensor? "
                   "bias, int[2] stride, int[2] padding) -> Tensor",
         .launches = {"Conv2D"},
         .as = "convolution",
         .note = "as convolution: Conv2D",
         .lower = lower_slow_convolution},
        {.schema = "_slow_conv2d_backward.output_mask(Tensor grad_output, Tensor self, Tensor "
                   "weight, int[2] kernel_size, int[2] stride, int[2] padding, bool[3] "
                   "output_mask) -> (Tensor grad_input, Tensor grad_weight, Tensor grad_bias)",
         .launches = {"Conv2DBackpropInput", "Conv2DBackpropFilter", "ReduceSum"},
         .as = "convolution_backward",
         .note = "as convolution_backward: Conv2DBackpropInput, Conv2DBackpropFilter, ReduceSum",
         .lower = lower_slow_convolution,
         .sum = "grad_bias"},
        {.schema = "_conv_depthwise2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? "
                   "bias, int[2] stride, int[2] padding, int[2] dilation) -> Tensor",
         .launches = {"Conv2D"},
         .as = "convolution",
         .note = "as convolution: Conv2D",
         .lower = lower_depthwise_convolution},
    });
    return kRows;
}

}  // namespace npuscope::backend
