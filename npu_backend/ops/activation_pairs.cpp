// Activation functions with parameters of their own, and their gradients.
#include <array>

#include "npu_backend/memory/strided.h"
#include "npu_backend/ops/lowering.h"
#include "npu_backend/ops/promotion.h"

namespace npuscope::backend {

namespace {

/// The gradient and what the function read or gave, in one dtype.
Operands gradient_and(Lowering& op, const char* gradient, const char* other) {
    if (op.raw(gradient).shape() != op.raw(other).shape())
        op.reject(std::string(gradient) + " " + to_string(op.raw(gradient).shape()) + " and " +
                  other + " " + to_string(op.raw(other).shape()) + " must have one shape");
    return common_operands(op, gradient, other);
}

void give_gradient(Lowering& op,
                   const char* kernel,
                   const Operands& pair,
                   NamedValues attributes = {}) {
    op.result(op.launch(kernel, {pair.self, pair.other}, std::move(attributes)), pair.dtype);
}

template <const char* kKernel>
void lower_gradient(Lowering& op) {
    give_gradient(op, kKernel, gradient_and(op, "grad_output", "self"));
}

void lower_gelu_gradient(Lowering& op) {
    const std::string& form = op.text("approximate");
    if (form != "none" && form != "tanh") op.reject("approximate must be 'none' or 'tanh'");
    give_gradient(op, "GeluGrad", gradient_and(op, "grad_output", "self"), {{"approximate", form}});
}

/// The sign of the result is the sign of self for a slope that is not negative.
void lower_leaky_relu_gradient(Lowering& op) {
    const double slope = op.number("negative_slope");
    if (op.flag("self_is_result") && slope < 0)
        op.reject("a negative slope needs self, not the result");
    give_gradient(
        op, "LeakyReluGrad", gradient_and(op, "grad_output", "self"), {{"negative_slope", slope}});
}

void lower_elu_gradient(Lowering& op) {
    give_gradient(op,
                  "EluGradV2",
                  gradient_and(op, "grad_output", "self_or_result"),
                  {{"alpha", op.number("alpha")},
                   {"scale", op.number("scale")},
                   {"input_scale", op.number("input_scale")},
                   {"is_result", op.flag("is_result")}});
}

void lower_hardtanh_gradient(Lowering& op) {
    give_gradient(op,
                  "HardtanhGrad",
                  gradient_and(op, "grad_output", "self"),
                  {{"min_val", op.number("min_val")}, {"max_val", op.number("max_val")}});
}

void lower_softplus_gradient(Lowering& op) {
    give_gradient(op,
                  "SoftplusV2Grad",
                  gradient_and(op, "grad_output", "self"),
                  {{"beta", op.number("beta")}, {"threshold", op.number("threshold")}});
}

/// On a CPU and here the second result is scratch that only the CPU's gradient reads.
void lower_log_sigmoid(Lowering& op) {
    const DType dtype = op.declared("self");
    op.result(op.launch("LogSigmoid", {op.tensor("self")}), dtype);
    op.result(Tensor(op.numerics().held(dtype), {0}), dtype);
}

void lower_unary(Lowering& op, const char* kernel, NamedValues attributes = {}) {
    const DType dtype = op.declared("self");
    if (!is_float(dtype)) op.reject("self must be a float tensor");
    op.result(op.launch(kernel, {op.tensor("self")}, std::move(attributes)), dtype);
}

void lower_mish(Lowering& op) {
    lower_unary(op, "Mish");
}

void lower_selu(Lowering& op) {
    lower_unary(op, "Selu");
}

void lower_celu(Lowering& op) {
    if (op.number("alpha") == 0) op.reject("alpha must not be 0");
    lower_unary(op, "Celu", {{"alpha", op.number("alpha")}});
}

template <const char* kKernel>
void lower_shrink(Lowering& op) {
    lower_unary(op, kKernel, {{"lambd", op.number("lambd")}});
}

template <const char* kKernel, const char* kGradient>
void lower_shrink_gradient(Lowering& op) {
    give_gradient(
        op, kKernel, gradient_and(op, kGradient, "self"), {{"lambd", op.number("lambd")}});
}

void lower_threshold(Lowering& op) {
    lower_unary(
        op, "ThresholdV2D", {{"threshold", op.number("threshold")}, {"value", op.number("value")}});
}

/// The weight of each channel, under x's shape.
Tensor slopes_of(Lowering& op, const Tensor& x, const Tensor& weight) {
    Shape shape(static_cast<size_t>(x.ndim()), 1);
    if (weight.numel() != 1) {
        if (x.ndim() < 2 || x.dim(1) != weight.numel())
            op.reject("weight " + to_string(weight.shape()) + " does not fit self " +
                      to_string(x.shape()));
        shape[1] = weight.numel();
    }
    return weight.reshaped(std::move(shape));
}

void lower_prelu(Lowering& op) {
    const Tensor x = op.tensor("self");
    op.result(op.launch("PRelu", {x, slopes_of(op, x, op.tensor("weight"))}), op.declared("self"));
}

/// The gradient to the weight is summed over everything that shares it.
void lower_prelu_gradient(Lowering& op) {
    const Operands pair = gradient_and(op, "grad_output", "self");
    const Tensor weight = op.cast(op.tensor("weight"), pair.dtype);
    const std::vector<Tensor> gradients =
        op.launch_all("PReluGrad", {pair.self, pair.other, slopes_of(op, pair.other, weight)});
    if (gradients.size() != 2) op.reject("kernel PReluGrad must give dx and da");
    op.result(gradients[0], pair.dtype);
    IntList axes;
    for (int64_t axis = 0; axis < pair.other.ndim(); ++axis)
        if (weight.numel() == 1 || axis != 1) axes.push_back(axis);
    const Tensor sum =
        op.launch("ReduceSum", {gradients[1]}, {{"axes", axes}, {"keep_dims", false}});
    op.result(sum.reshaped(weight.shape()), pair.dtype);
}

/// Since PyTorch 2.0: the weight already has self's dimensions, its gradient is not summed.
void lower_prelu_kernel(Lowering& op) {
    op.result(op.launch("PRelu", {op.tensor("self"), op.tensor("weight")}), op.declared("self"));
}

void lower_prelu_kernel_gradient(Lowering& op) {
    const Operands pair = gradient_and(op, "grad_output", "self");
    const std::vector<Tensor> gradients = op.launch_all(
        "PReluGrad", {pair.self, pair.other, op.cast(op.tensor("weight"), pair.dtype)});
    for (const Tensor& gradient : gradients)
        op.result(gradient, pair.dtype);
}

struct Halves {
    Tensor left, right;
    int64_t axis;
};

Halves halves_of(Lowering& op) {
    const Tensor x = op.tensor("self");
    const int64_t axis = normalized_axis(op.integer("dim"), x.ndim());
    if (x.ndim() == 0 || x.dim(axis) % 2 != 0)
        op.reject("dimension " + std::to_string(axis) + " of " + to_string(x.shape()) +
                  " must be even");
    const std::vector<Tensor> parts =
        op.computed("split_Tensor", {{"self", x}, {"split_size", x.dim(axis) / 2}, {"dim", axis}});
    return {parts.at(0), parts.at(1), axis};
}

void lower_glu(Lowering& op) {
    const Halves x = halves_of(op);
    op.result(op.launch("Mul", {x.left, op.launch("Sigmoid", {x.right})}), op.declared("self"));
}

void lower_glu_gradient(Lowering& op) {
    const Halves x = halves_of(op);
    const Tensor dy = op.tensor("grad_output");
    const Tensor gate = op.launch("Sigmoid", {x.right});
    const Tensor left = op.launch("Mul", {dy, gate});
    const Tensor right = op.launch("SigmoidGrad", {op.launch("Mul", {dy, x.left}), gate});
    op.result(op.launch("ConcatD", {left, right}, {{"concat_dim", x.axis}, {"N", int64_t{2}}}),
              op.declared("self"));
}

constexpr char kHardSwish[] = "HardSwishGrad";
constexpr char kHardSigmoid[] = "HardSigmoidGrad";
constexpr char kLogSigmoid[] = "LogSigmoidGrad";
constexpr char kMish[] = "MishGrad";
constexpr char kHardShrink[] = "HardShrink";
constexpr char kHardShrinkGrad[] = "HardShrinkGrad";
constexpr char kSoftShrink[] = "SoftShrink";
constexpr char kSoftShrinkGrad[] = "SoftShrinkGrad";
constexpr char kGradOut[] = "grad_out";
constexpr char kGradOutput[] = "grad_output";

constexpr auto kRows = std::to_array<OpRow>({
    {"gelu_backward(Tensor grad_output, Tensor self, *, str approximate=\"none\") -> Tensor",
     "GeluGrad, in its tanh form whatever was asked",
     "table",
     lower_gelu_gradient},
    {"leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool "
     "self_is_result) -> Tensor",
     "LeakyReluGrad",
     "table",
     lower_leaky_relu_gradient},
    {"elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool "
     "is_result, Tensor self_or_result) -> Tensor",
     "EluGradV2",
     "table",
     lower_elu_gradient},
    {"hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor",
     "HardtanhGrad",
     "table",
     lower_hardtanh_gradient},
    {"hardswish_backward(Tensor grad_output, Tensor self) -> Tensor",
     "HardSwishGrad",
     "ours",
     lower_gradient<kHardSwish>},
    {"hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor",
     "HardSigmoidGrad",
     "table",
     lower_gradient<kHardSigmoid>},
    {"softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor",
     "SoftplusV2Grad",
     "table",
     lower_softplus_gradient},
    {"log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)",
     "LogSigmoid; the buffer is empty",
     "table",
     lower_log_sigmoid},
    {"log_sigmoid_backward(Tensor grad_output, Tensor self, Tensor buffer) -> Tensor",
     "LogSigmoidGrad",
     "table",
     lower_gradient<kLogSigmoid>},
    {"mish(Tensor self) -> Tensor", "Mish", "ours", lower_mish},
    {"mish_backward(Tensor grad_output, Tensor self) -> Tensor",
     "MishGrad",
     "ours",
     lower_gradient<kMish>},
    {"selu(Tensor self) -> Tensor", "Selu", "table", lower_selu},
    {"celu(Tensor self, Scalar alpha=1.0) -> Tensor", "Celu", "table", lower_celu},
    {"hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
     "HardShrink",
     "table",
     lower_shrink<kHardShrink>},
    {"hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor",
     "HardShrinkGrad",
     "table",
     lower_shrink_gradient<kHardShrinkGrad, kGradOut>},
    {"softshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
     "SoftShrink",
     "table",
     lower_shrink<kSoftShrink>},
    {"softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor",
     "SoftShrinkGrad",
     "table",
     lower_shrink_gradient<kSoftShrinkGrad, kGradOutput>},
    {"threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
     "ThresholdV2D",
     "table",
     lower_threshold},
    {"prelu(Tensor self, Tensor weight) -> Tensor", "PRelu", "table", lower_prelu},
    {"prelu_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
     "PReluGrad, ReduceSum",
     "table",
     lower_prelu_gradient},
    {"_prelu_kernel(Tensor self, Tensor weight) -> Tensor", "PRelu", "ours", lower_prelu_kernel},
    {"_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)",
     "PReluGrad",
     "ours",
     lower_prelu_kernel_gradient},
    {"glu(Tensor self, int dim=-1) -> Tensor", "Sigmoid, Mul", "indirect", lower_glu},
    {"glu_backward(Tensor grad_output, Tensor self, int dim) -> Tensor",
     "Sigmoid, Mul, Mul, SigmoidGrad, ConcatD",
     "indirect",
     lower_glu_gradient},
});

}  // namespace

extern const std::span<const OpRow> k_activation_pairs_ops;
const std::span<const OpRow> k_activation_pairs_ops = kRows;

}  // namespace npuscope::backend
