// Ops of other backends and versions of PyTorch that are another op under other arguments.
#include <array>
#include <limits>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// A plain convolution of these arguments.
void convolve(Lowering& op, const char* input, const char* bias, bool transposed = false) {
    op.become("convolution",
              {{"input", op.given(input)},
               {"weight", op.given("weight")},
               {"bias", bias == nullptr ? Value() : op.given(bias)},
               {"stride", op.given("stride")},
               {"padding", op.given("padding")},
               {"dilation", op.given("dilation")},
               {"transposed", transposed},
               {"output_padding", IntList{}},
               {"groups", op.given("groups")}});
}

void lower_cudnn_convolution(Lowering& op) {
    convolve(op, "self", nullptr);
}

void lower_mkldnn_convolution(Lowering& op) {
    convolve(op, "self", "bias");
}

void lower_conv(Lowering& op) {
    convolve(op, "input", "bias");
}

void lower_full_convolution(Lowering& op) {
    NamedValues values;
    for (const char* name : {"input",
                             "weight",
                             "bias",
                             "stride",
                             "padding",
                             "dilation",
                             "transposed",
                             "output_padding",
                             "groups"})
        values.push_back({name, op.given(name)});
    op.become("convolution", std::move(values));
}

/// One group, no dilation.
void lower_slow_convolution(Lowering& op) {
    op.become("convolution",
              {{"input", op.given("self")},
               {"weight", op.given("weight")},
               {"bias", op.given("bias")},
               {"stride", op.given("stride")},
               {"padding", op.given("padding")},
               {"dilation", IntList{1, 1}},
               {"transposed", false},
               {"output_padding", IntList{0, 0}},
               {"groups", int64_t{1}}});
}

void lower_depthwise_convolution(Lowering& op) {
    op.become("convolution",
              {{"input", op.given("self")},
               {"weight", op.given("weight")},
               {"bias", op.given("bias")},
               {"stride", op.given("stride")},
               {"padding", op.given("padding")},
               {"dilation", op.given("dilation")},
               {"transposed", false},
               {"output_padding", IntList{0, 0}},
               {"groups", op.raw("self").dim(1)}});
}

void lower_slow_convolution_gradient(Lowering& op) {
    op.become("convolution_backward",
              {{"grad_output", op.given("grad_output")},
               {"input", op.given("self")},
               {"weight", op.given("weight")},
               {"stride", op.given("stride")},
               {"padding", op.given("padding")},
               {"dilation", IntList{1, 1}},
               {"transposed", false},
               {"output_padding", IntList{0, 0}},
               {"groups", int64_t{1}},
               {"output_mask", op.given("output_mask")}});
}

struct BatchNorm {
    Value running_mean, running_var;
    bool training;
    Value momentum, eps;
};

void normalize(Lowering& op, BatchNorm norm) {
    op.become("native_batch_norm",
              {{"input", op.given("input")},
               {"weight", op.given("weight")},
               {"bias", op.given("bias")},
               {"running_mean", std::move(norm.running_mean)},
               {"running_var", std::move(norm.running_var)},
               {"training", norm.training},
               {"momentum", std::move(norm.momentum)},
               {"eps", std::move(norm.eps)}});
}

void lower_legit(Lowering& op) {
    normalize(op,
              {op.given("running_mean"),
               op.given("running_var"),
               op.flag("training"),
               op.given("momentum"),
               op.given("eps")});
}

void lower_legit_no_stats(Lowering& op) {
    normalize(op, {{}, {}, op.flag("training"), op.given("momentum"), op.given("eps")});
}

void lower_legit_no_training(Lowering& op) {
    normalize(op,
              {op.given("running_mean"),
               op.given("running_var"),
               false,
               op.given("momentum"),
               op.given("eps")});
}

/// The fourth result is scratch that only cuDNN reads.
void lower_cudnn_batch_norm(Lowering& op) {
    normalize(op,
              {op.given("running_mean"),
               op.given("running_var"),
               op.flag("training"),
               op.given("exponential_average_factor"),
               op.given("epsilon")});
    op.result(Tensor(DType::kUInt8, {0}), DType::kUInt8);
}

void lower_cudnn_batch_norm_gradient(Lowering& op) {
    op.become("native_batch_norm_backward",
              {{"grad_out", op.given("grad_output")},
               {"input", op.given("input")},
               {"weight", op.given("weight")},
               {"running_mean", op.given("running_mean")},
               {"running_var", op.given("running_var")},
               {"save_mean", op.given("save_mean")},
               {"save_invstd", op.given("save_var")},
               {"train", true},
               {"eps", op.given("epsilon")},
               {"output_mask", BoolMask{{true, true, true}}}});
}

/// y = x w^T + b over the last dimension.
void lower_linear(Lowering& op) {
    const Tensor& input = op.raw("input");
    const Tensor& weight = op.raw("weight");
    if (weight.ndim() != 2 || input.ndim() < 1 || input.dim(-1) != weight.dim(1))
        op.reject("input " + to_string(input.shape()) + " and weight " + to_string(weight.shape()) +
                  " do not fit");
    Shape shape = input.shape();
    shape.back() = weight.dim(0);
    const Tensor turned = permuted(weight, {1, 0});
    const Tensor rows = input.reshaped({-1, input.dim(-1)});
    const bool biased = op.has("bias");
    NamedValues arguments;
    if (biased) arguments.push_back({"self", op.raw("bias")});
    arguments.push_back({biased ? "mat1" : "self", rows});
    arguments.push_back({"mat2", turned});
    const Tensor y = op.computed(biased ? "addmm" : "mm", std::move(arguments)).at(0);
    op.result(y.reshaped(std::move(shape)), input.dtype());
}

}  // namespace

std::span<const OpRow> other_names_ops() {
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
         .lower = lower_full_convolution},
        {.schema = "convolution_overrideable(Tensor input, Tensor weight, Tensor? bias, int[] "
                   "stride, int[] padding, int[] dilation, bool transposed, int[] output_padding, "
                   "int groups) -> Tensor",
         .launches = {"Conv2D", "Conv3D"},
         .as = "convolution",
         .note = "as convolution: Conv2D, Conv3D or their transposed forms",
         .lower = lower_full_convolution},
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
         .lower = lower_slow_convolution_gradient,
         .sum = "grad_bias"},
        {.schema = "_conv_depthwise2d(Tensor self, Tensor weight, int[2] kernel_size, Tensor? "
                   "bias, int[2] stride, int[2] padding, int[2] dilation) -> Tensor",
         .launches = {"Conv2D"},
         .as = "convolution",
         .note = "as convolution: Conv2D",
         .lower = lower_depthwise_convolution},
        {.schema = "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor "
                   "running_mean, Tensor running_var, bool training, float momentum, float eps) -> "
                   "(Tensor, Tensor, Tensor)",
         .launches = {"BNTrainingReduce", "BNTrainingUpdate", "BNInfer"},
         .as = "native_batch_norm",
         .note = "as native_batch_norm: BNTrainingReduce, BNTrainingUpdate or BNInfer",
         .lower = lower_legit,
         .sum = "result1"},
        {.schema = "_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, "
                   "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
         .launches = {"BNTrainingReduce", "BNTrainingUpdate"},
         .as = "native_batch_norm",
         .note = "as native_batch_norm: BNTrainingReduce, BNTrainingUpdate",
         .lower = lower_legit_no_stats,
         .sum = "result1"},
        {.schema = "_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? "
                   "bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> "
                   "(Tensor, Tensor, Tensor)",
         .launches = {"BNInfer"},
         .as = "native_batch_norm",
         .note = "as native_batch_norm: BNInfer",
         .lower = lower_legit_no_training},
        {.schema = "cudnn_batch_norm(Tensor input, Tensor weight, Tensor? bias, Tensor? "
                   "running_mean, Tensor? running_var, bool training, float "
                   "exponential_average_factor, float epsilon) -> (Tensor, Tensor, Tensor, Tensor)",
         .launches = {"BNTrainingReduce", "BNTrainingUpdate", "BNInfer"},
         .as = "native_batch_norm",
         .note = "as native_batch_norm: BNTrainingReduce, BNTrainingUpdate or BNInfer; the fourth "
                 "result is empty",
         .lower = lower_cudnn_batch_norm,
         .sum = "result1"},
        {.schema =
             "cudnn_batch_norm_backward(Tensor input, Tensor grad_output, Tensor weight, Tensor? "
             "running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_var, float "
             "epsilon, Tensor? reserveSpace=None) -> (Tensor, Tensor, Tensor)",
         .launches = {"BNTrainingUpdateGrad", "BNTrainingReduceGrad"},
         .as = "native_batch_norm_backward",
         .note = "as native_batch_norm_backward: BNTrainingUpdateGrad, BNTrainingReduceGrad",
         .lower = lower_cudnn_batch_norm_gradient,
         .sum = "result2"},
        {.schema = "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
         .launches = {"MatMul", "Add"},
         .as = "addmm",
         .note = "as addmm or mm of the input's rows: MatMul, Add",
         .lower = lower_linear},
    });
    return kRows;
}

}  // namespace npuscope::backend
