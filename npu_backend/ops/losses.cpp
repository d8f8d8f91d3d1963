// Losses and their gradients.
#include <array>

#include "npu_backend/ops/lowering.h"

namespace npuscope::backend {

namespace {

std::string reduction_of(const Lowering& op) {
    constexpr auto kNames = std::to_array<const char*>({"none", "mean", "sum"});
    const int64_t code = op.integer("reduction");
    if (code < 0 || code > 2) op.reject("reduction must be 0 (none), 1 (mean) or 2 (sum)");
    return kNames[static_cast<size_t>(code)];
}

/// One sample as a batch of one.
Tensor rows_of(const Lowering& op, const Tensor& self) {
    if (self.ndim() != 1 && self.ndim() != 2) op.reject("self must have 1 or 2 dimensions");
    return self.ndim() == 2 ? self : self.reshaped({1, self.dim(0)});
}

/// The adapter gives the operator int32.
Tensor target_of(Lowering& op) {
    const Tensor target = op.raw("target").reshaped({-1});
    return op.on_chip() ? op.cast(target, DType::kInt32) : target;
}

Tensor weight_of(Lowering& op, const Tensor& rows) {
    return op.has("weight") ? op.tensor("weight")
                            : op.launch("OnesLike", {Tensor(rows.dtype(), {rows.dim(1)})});
}

void lower_nll_loss(Lowering& op) {
    const Tensor rows = rows_of(op, op.tensor("self"));
    const std::vector<Tensor> outputs = op.launch_all(
        "NLLLoss",
        {rows, target_of(op), weight_of(op, rows)},
        {{"reduction", reduction_of(op)}, {"ignore_index", op.integer("ignore_index")}});
    if (outputs.size() != 2) op.reject("kernel NLLLoss must give y and total_weight");
    const bool single = op.raw("self").ndim() == 1;
    op.result(single ? outputs[0].reshaped({}) : outputs[0], op.declared("self"));
    op.result(outputs[1], op.declared("self"));
}

void lower_nll_loss_backward(Lowering& op) {
    const Tensor rows = rows_of(op, op.tensor("self"));
    const Tensor gradient =
        op.launch("NLLLossGrad",
                  {rows,
                   op.tensor("grad_output").reshaped({-1}),
                   target_of(op),
                   weight_of(op, rows),
                   op.tensor("total_weight")},
                  {{"reduction", reduction_of(op)}, {"ignore_index", op.integer("ignore_index")}});
    op.result(gradient.reshaped(op.raw("self").shape()), op.declared("self"));
}

}  // namespace

std::span<const OpRow> losses_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "nll_loss_forward(Tensor self, Tensor target, Tensor? weight, int reduction, "
                   "int ignore_index) -> (Tensor output, Tensor total_weight)",
         .launches = {"Cast", "OnesLike", "NLLLoss"},
         .note = "Cast(target) to int32, OnesLike for a missing weight; NLLLoss",
         .source = "spec",
         .lower = lower_nll_loss},
        {.schema = "nll_loss_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? "
                   "weight, int reduction, int ignore_index, Tensor total_weight) -> Tensor",
         .launches = {"Cast", "OnesLike", "NLLLossGrad"},
         .note = "Cast(target) to int32, OnesLike for a missing weight; NLLLossGrad",
         .source = "spec",
         .lower = lower_nll_loss_backward},
    });
    return kRows;
}

}  // namespace npuscope::backend
