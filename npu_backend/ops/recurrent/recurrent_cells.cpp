// One step of LSTM and GRU cells.
#include <array>

#include "npu_backend/ops/recurrent/cell_steps.h"

namespace npuscope::backend {

namespace {

Tensor biased(Lowering& op, const char* gates, const char* bias) {
    Tensor sum = op.tensor(gates);
    return op.has(bias) ? op.launch("Add", {sum, op.tensor(bias)}) : sum;
}

void lower_lstm_cell(Lowering& op) {
    const DType dtype = op.declared("input_gates");
    const Tensor sums = op.launch(
        "Add",
        {biased(op, "input_gates", "input_bias"), biased(op, "hidden_gates", "hidden_bias")});
    const CellGates step = lstm_step(op, sums, op.tensor("cx"));
    op.result(step.h, dtype);
    op.result(step.c, dtype);
    op.result(op.launch("ConcatD", step.gates, {{"concat_dim", int64_t{1}}, {"N", int64_t{4}}}),
              dtype);
}

void lower_gru_cell(Lowering& op) {
    const DType dtype = op.declared("input_gates");
    const Tensor hx = op.tensor("hx");
    const Tensor of_x = biased(op, "input_gates", "input_bias");
    const CellGates step = gru_step(op, of_x, biased(op, "hidden_gates", "hidden_bias"), hx);
    op.result(step.h, dtype);
    std::vector<Tensor> kept = step.gates;
    kept.insert(kept.end(), {hx, step.inner});
    op.result(op.launch("ConcatD", kept, {{"concat_dim", int64_t{1}}, {"N", int64_t{5}}}), dtype);
}

}  // namespace

std::span<const OpRow> recurrent_cells_ops() {
    static constexpr auto kRows = std::to_array<OpRow>({
        {.schema = "_thnn_fused_lstm_cell(Tensor input_gates, Tensor hidden_gates, Tensor cx, "
                   "Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor, Tensor)",
         .launches = {"Add", "Sigmoid", "Tanh", "Mul", "ConcatD"},
         .note = "Add for each bias and the sum; Sigmoid, Sigmoid, Tanh, Sigmoid; Mul, Mul, Add; "
                 "Tanh, Mul; ConcatD",
         .lower = lower_lstm_cell},
        {.schema = "_thnn_fused_gru_cell(Tensor input_gates, Tensor hidden_gates, Tensor hx, "
                   "Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor)",
         .launches = {"Add", "Sigmoid", "Mul", "Tanh", "Sub", "ConcatD"},
         .note = "Add for each bias; Add, Sigmoid, Add, Sigmoid; Mul, Add, Tanh; Sub, Mul, Add; "
                 "ConcatD",
         .lower = lower_gru_cell},
    });
    return kRows;
}

}  // namespace npuscope::backend
