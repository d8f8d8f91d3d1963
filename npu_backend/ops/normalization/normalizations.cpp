// Layer norm and batch norm.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

Tensor filled(DType dtype, Shape shape, double value) {
    Tensor tensor(DType::kFloat64, std::move(shape));
    for (double& element : tensor.mutable_as<double>())
        element = value;
    return tensor.cast(dtype);
}

/// The argument, or a constant in its place.
Tensor tensor_or_constant(
    const Lowering& op, const char* name, DType dtype, const Shape& shape, double value) {
    return op.has(name) ? op.tensor(name) : filled(op.numerics().held(dtype), shape, value);
}

/// 1 / sqrt(variance + eps), which ATen returns where CANN's operators give the variance.
Tensor inverse_deviation(Lowering& op, Tensor variance) {
    Tensor shifted = op.launch("Adds", {std::move(variance)}, {{"value", op.number("eps")}});
    return op.launch("Rsqrt", {std::move(shifted)});
}

void lower_layer_norm(Lowering& op) {
    const Tensor& input = op.raw("input");
    const IntList& normalized = op.ints("normalized_shape");
    const int64_t begin = input.ndim() - static_cast<int64_t>(normalized.size());
    if (begin < 0 || normalized.empty() ||
        !std::equal(normalized.begin(), normalized.end(), input.shape().begin() + begin))
        op.reject("normalized_shape " + to_string(normalized) + " is not the end of input " +
                  to_string(input.shape()));
    const DType dtype = input.dtype();
    std::vector<Tensor> outputs = op.launch_all(
        "LayerNorm",
        {op.tensor("input"),
         tensor_or_constant(op, "weight", dtype, normalized, 1.0),
         tensor_or_constant(op, "bias", dtype, normalized, 0.0)},
        {{"begin_norm_axis", begin}, {"begin_params_axis", begin}, {"epsilon", op.number("eps")}});
    if (outputs.size() != 3) op.reject("kernel LayerNorm must give y, mean and variance");
    op.result(outputs[0], dtype);
    op.result(outputs[1], dtype);
    op.result(inverse_deviation(op, outputs[2]), dtype);
}

/// Statistics of half tensors are kept in float32.
DType statistics_type(DType input) {
    return input == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}

void lower_batch_norm_training(Lowering& op,
                               const Tensor& x,
                               const Tensor& scale,
                               const Tensor& offset) {
    const DType statistics = statistics_type(op.declared("input"));
    const Shape channels = {x.dim(1)};
    std::vector<Tensor> sums =
        op.launch_all("BNTrainingReduce", {x}, {{"epsilon", op.number("eps")}});
    if (sums.size() != 2) op.reject("kernel BNTrainingReduce must give sum and square_sum");
    std::vector<Tensor> outputs =
        op.launch_all("BNTrainingUpdate",
                      {x,
                       sums[0],
                       sums[1],
                       scale,
                       offset,
                       tensor_or_constant(op, "running_mean", statistics, channels, 0.0),
                       tensor_or_constant(op, "running_var", statistics, channels, 1.0)},
                      {{"epsilon", op.number("eps")}, {"factor", op.number("momentum")}});
    if (outputs.size() != 5)
        op.reject("kernel BNTrainingUpdate must give y, mean, variance and the batch's two");
    const bool image = x.ndim() == 4;
    op.result(image ? op.format_cast(outputs[0], "NC1HWC0", "NCHW") : outputs[0],
              op.declared("input"));
    op.result(outputs[3], statistics);
    op.result(inverse_deviation(op, outputs[4]), statistics);
}

void lower_batch_norm(Lowering& op) {
    if (op.raw("input").ndim() < 2) op.reject("input must have at least 2 dimensions");
    const bool image = op.raw("input").ndim() == 4;
    const Tensor x =
        image ? op.format_cast(op.tensor("input"), "NCHW", "NC1HWC0") : op.tensor("input");
    const DType statistics = statistics_type(op.declared("input"));
    const Shape channels = {x.dim(1)};
    const Tensor scale = tensor_or_constant(op, "weight", statistics, channels, 1.0);
    const Tensor offset = tensor_or_constant(op, "bias", statistics, channels, 0.0);
    if (op.flag("training")) {
        lower_batch_norm_training(op, x, scale, offset);
        return;
    }
    if (!op.has("running_mean") || !op.has("running_var"))
        op.reject("running_mean and running_var are needed outside training");
    const Tensor y =
        op.launch("BNInfer",
                  {x, scale, offset, op.tensor("running_mean"), op.tensor("running_var")},
                  {{"epsilon", op.number("eps")}});
    op.result(image ? op.format_cast(y, "NC1HWC0", "NCHW") : y, op.declared("input"));
    // Outside training ATen gives two tensors without elements.
    op.result(Tensor(op.numerics().held(statistics), {0}), statistics);
    op.result(Tensor(op.numerics().held(statistics), {0}), statistics);
}

}  // namespace

std::span<const OpRow> normalizations_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "native_layer_norm(Tensor input, int[] normalized_shape, Tensor? weight, "
                   "Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)",
         .launches = {"LayerNorm", "Adds", "Rsqrt"},
         .note = "LayerNorm; Adds, Rsqrt for the third result",
         .source = "spec",
         .lower = lower_layer_norm,
         .sum = "result1"},
        {.schema = "native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? "
                   "running_mean, Tensor? running_var, bool training, float momentum, float eps) "
                   "-> (Tensor, Tensor, Tensor)",
         .launches =
             {"TransData", "BNTrainingReduce", "BNTrainingUpdate", "Adds", "Rsqrt", "BNInfer"},
         .note = "TransData of images; training: BNTrainingReduce, BNTrainingUpdate; Adds, Rsqrt "
                 "for the third result (the running statistics are not written back); else "
                 "BNInfer; TransData",
         .source = "spec",
         .lower = lower_batch_norm,
         .sum = "result1"},
    });
    return kRows;
}

}  // namespace npuscope::backend
