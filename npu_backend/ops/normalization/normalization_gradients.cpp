// Gradients of batch norm.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

/// ATen keeps 1 / sqrt(variance + eps), CANN's operators take the variance.
Tensor saved_variance(Lowering& op, DType statistics) {
    const Tensor inverse = op.cast(op.tensor("save_invstd"), statistics);
    Tensor shifted = op.launch("Reciprocal", {op.launch("Mul", {inverse, inverse})});
    return op.launch("Adds", {std::move(shifted)}, {{"value", -op.number("eps")}});
}

void lower_batch_norm_backward(Lowering& op) {
    const Tensor gradient = op.tensor("grad_out");
    const Tensor x = op.tensor("input");
    if (x.ndim() < 2 || x.shape() != gradient.shape())
        op.reject("grad_out " + to_string(gradient.shape()) + " and input " + to_string(x.shape()) +
                  " must have one shape of at least 2 dimensions");
    const bool train = op.flag("train");
    if (!train && (!op.has("running_mean") || !op.has("running_var")))
        op.reject("running_mean and running_var are needed outside training");
    const std::vector<bool>& wanted = op.mask("output_mask", 3);
    const DType statistics =
        op.declared("input") == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
    const NamedValues epsilon = {{"epsilon", op.number("eps")}};
    const Tensor mean = op.tensor(train ? "save_mean" : "running_mean");
    const Tensor variance = train ? saved_variance(op, statistics) : op.tensor("running_var");
    const Tensor scale =
        op.has("weight")
            ? op.tensor("weight")
            : op.launch("OnesLike", {Tensor(op.numerics().held(statistics), {x.dim(1)})});
    const std::vector<Tensor> sums =
        op.launch_all("BNTrainingUpdateGrad", {gradient, x, mean, variance}, epsilon);
    if (sums.size() != 2)
        op.reject("kernel BNTrainingUpdateGrad must give diff_scale and diff_offset");
    if (!wanted[0])
        op.no_result();
    else if (train)
        op.result(op.launch("BNTrainingReduceGrad",
                            {gradient, x, sums[0], sums[1], scale, mean, variance},
                            epsilon),
                  op.declared("input"));
    else
        op.result(op.launch("BNInferGrad", {gradient, scale, variance}, epsilon),
                  op.declared("input"));
    for (const size_t i : {size_t{0}, size_t{1}}) {
        if (wanted[i + 1])
            op.result(sums[i], statistics);
        else
            op.no_result();
    }
}

}  // namespace

std::span<const OpRow> normalization_gradients_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema =
             "native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight, Tensor? "
             "running_mean, Tensor? running_var, Tensor? save_mean, Tensor? save_invstd, bool "
             "train, float eps, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
         .launches = {"Mul",
                      "Reciprocal",
                      "Adds",
                      "BNTrainingUpdateGrad",
                      "BNTrainingReduceGrad",
                      "BNInferGrad",
                      "OnesLike"},
         .note = "training: Mul, Reciprocal, Adds for the variance; BNTrainingUpdateGrad, "
                 "BNTrainingReduceGrad; else BNTrainingUpdateGrad, BNInferGrad",
         .source = "spec",
         .lower = lower_batch_norm_backward,
         .sum = "result2"},
    });
    return kRows;
}

}  // namespace npuscope::backend
