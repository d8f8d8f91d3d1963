// Ops of other backends and versions of PyTorch that are a batch norm under other arguments.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

void lower_batch_norm_without_statistics(Lowering& op) {
    op.forward({}, {{"running_mean", Value()}, {"running_var", Value()}});
}

void lower_batch_norm_outside_training(Lowering& op) {
    op.forward({}, {{"training", false}});
}

/// The fourth result is scratch that only cuDNN reads.
void lower_cudnn_batch_norm(Lowering& op) {
    op.forward("momentum=exponential_average_factor eps=epsilon");
    op.result(Tensor(DType::kUInt8, {0}), DType::kUInt8);
}

void lower_cudnn_batch_norm_gradient(Lowering& op) {
    op.forward("grad_out=grad_output save_invstd=save_var eps=epsilon",
               {{"train", true}, {"output_mask", BoolMask{{true, true, true}}}});
}

}  // namespace

std::span<const OpRow> batch_norm_names_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor "
                   "running_mean, Tensor running_var, bool training, float momentum, float eps) -> "
                   "(Tensor, Tensor, Tensor)",
         .launches = {"BNTrainingReduce", "BNTrainingUpdate", "BNInfer"},
         .as = "native_batch_norm",
         .note = "as native_batch_norm: BNTrainingReduce, BNTrainingUpdate or BNInfer",
         .lower = forward_all,
         .sum = "result1"},
        {.schema = "_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, "
                   "bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
         .launches = {"BNTrainingReduce", "BNTrainingUpdate"},
         .as = "native_batch_norm",
         .note = "as native_batch_norm: BNTrainingReduce, BNTrainingUpdate",
         .lower = lower_batch_norm_without_statistics,
         .sum = "result1"},
        {.schema = "_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? "
                   "bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> "
                   "(Tensor, Tensor, Tensor)",
         .launches = {"BNInfer"},
         .as = "native_batch_norm",
         .note = "as native_batch_norm: BNInfer",
         .lower = lower_batch_norm_outside_training},
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
    });
    return kRows;
}

}  // namespace npuscope::backend
